/* The ranks of this launch: joining them, what they agree on, leaving. */
#include "harness.h"
#include <stdio.h>
#include <stdlib.h>

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

void join_job(Job *job, int *argc, char ***argv)
{
    MPI_Init(argc, argv);
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
}

void start_clock(Job *job, const RwClockOptions *options)
{
    require(job, rw_clock_start(&job->clock, job->comm, options));
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
