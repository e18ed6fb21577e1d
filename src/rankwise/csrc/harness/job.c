/* The ranks of this launch: joining them, what they agree on, leaving. */
#define _POSIX_C_SOURCE 200809L
#include "harness.h"
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* Errors of the library itself do not come back: its error handler ends the job before. */
static void require(const Job *job, int error)
{
    char text[MPI_MAX_ERROR_STRING + 64] = "";
    int length = 0;
    if (error == MPI_SUCCESS)
        return;
    MPI_Error_string(error, text, &length);
    if (job->clock.wanted_bytes)
        snprintf(text, sizeof text, "cannot allocate %zu bytes for the clocks of %d ranks",
                 job->clock.wanted_bytes, job->ranks);
    end_job(job, text);
}

/* CLOCK_MONOTONIC: there is no clock of ours yet. */
static double monotonic_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* A library that locks for threads is slower also where there is one, so it is asked only if need
 * be. */
static void initialise(Job *job, int *argc, char ***argv, bool multithreaded)
{
    const double begin = monotonic_seconds();
    int provided = MPI_THREAD_SINGLE;
    if (multithreaded)
        MPI_Init_thread(argc, argv, MPI_THREAD_MULTIPLE, &provided);
    else
        MPI_Init(argc, argv);
    job->init_seconds = monotonic_seconds() - begin;
    job->multithreaded = provided == MPI_THREAD_MULTIPLE;
}

double init_seconds(const Cell *c)
{
    return c->job->init_seconds;
}

void join_job(Job *job, int *argc, char ***argv, bool multithreaded)
{
    initialise(job, argc, argv, multithreaded);
    MPI_Errhandler handler = end_on_mpi_errors(job);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    MPI_Comm_dup(MPI_COMM_WORLD, &job->comm);
    MPI_Comm_dup(MPI_COMM_WORLD, &job->kernel_comm);
    MPI_Comm_set_errhandler(job->comm, handler);
    MPI_Comm_set_errhandler(job->kernel_comm, handler);
    MPI_Errhandler_free(&handler);
    require(job, rw_barrier_open(&job->barrier, job->comm));
    job->rank = job->barrier.rank;
    job->ranks = job->barrier.ranks;
    job->groups = 1;
}

/* Neighbouring ranks form a group. */
void divide_job(Job *job, int groups)
{
    MPI_Comm group;
    if (groups == 1)
        return;
    job->groups = job->ranks % groups == 0 ? groups : 0;
    if (!job->groups)
        return;
    MPI_Comm_split(job->kernel_comm, job->rank / (job->ranks / groups), job->rank, &group);
    MPI_Comm_free(&job->kernel_comm);
    job->kernel_comm = group;
}

void start_clock(Job *job, const RwClockOptions *options)
{
    require(job, rw_clock_start(&job->clock, job->comm, options));
    job->timer_cost_seconds = job->rank == 0 ? job->clock.timer.cost_seconds : 0;
    agree_on_maximum(job, &job->timer_cost_seconds, 1);
}

void refresh_clock(Job *job)
{
    require(job, rw_clock_refresh(&job->clock));
}

void agree_on_maximum(const Job *job, double *values, int count)
{
    require(job, rw_barrier_maximum(&job->barrier, values, count));
}

void wait_for_all(const Job *job)
{
    require(job, rw_barrier_wait(&job->barrier));
}

void leave_job(Job *job)
{
    require(job, rw_clock_stop(&job->clock));
    free(job->hosts);
    free(job->machines);
    MPI_Finalize();
}
