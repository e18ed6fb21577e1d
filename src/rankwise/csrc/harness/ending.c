/* How the program ends before its time: a time limit, an error inside the library, no memory. */
#define _GNU_SOURCE
#include "harness.h"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

/* The one variable of the harness that is no one's argument: neither a signal handler nor an MPI
 * error handler is given a context. */
static const Job *volatile the_job;

/* A launcher that is killed outright takes its ranks with it. */
void die_with_launcher(void)
{
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
}

static void say(const char *text)
{
    if (write(STDERR_FILENO, text, strlen(text)) < 0)
        return; /* nobody listens, and the process ends anyway */
}

/* Only async-signal-safe calls: the rank may hang anywhere inside the library. */
static void on_limit(int signal_number)
{
    (void)signal_number;
    say("rankwise-harness: a rank ended itself at its time limit, ");
    say(the_job->current ? the_job->current->text : "before its first cell");
    say("\n");
    _exit(124);
}

void end_on_time_limit(const Job *job, double limit_seconds)
{
    the_job = job;
    if (limit_seconds <= 0)
        return;
    struct sigaction action = {.sa_handler = on_limit};
    sigaction(SIGALRM, &action, NULL);
    const struct itimerval timer = {
        .it_value = {.tv_sec = (time_t)limit_seconds,
                     .tv_usec =
                         1 + (suseconds_t)((limit_seconds - (time_t)limit_seconds) * 999998)}};
    setitimer(ITIMER_REAL, &timer, NULL);
}

void end_job(const Job *job, const char *reason)
{
    const CellRequest *current = job->current;
    const struct timespec until_it_is_read = {.tv_nsec = 200000000};
    if (current)
        emit_failure(current, "failed", reason);
    else
        fprintf(stderr, "rankwise-harness: before the first cell: %s\n", reason);
    nanosleep(&until_it_is_read, NULL); /* launchers drop what they have not read by then */
    MPI_Abort(MPI_COMM_WORLD, 3);
    abort();
}

/* An MPI call has failed in this rank: the library's own words become the cell's failure. Only the
 * launcher can end the other ranks; where an error is to be expected the call returns. */
static void on_mpi_error(MPI_Comm *comm, int *code, ...)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int length;
    (void)comm;
    MPI_Error_string(*code, text, &length);
    if (!the_job->noted)
        end_job(the_job, text);
    if (!the_job->noted[0])
        snprintf(the_job->noted, FAILURE_BYTES, "%s", text);
}

MPI_Errhandler end_on_mpi_errors(const Job *job)
{
    MPI_Errhandler handler;
    the_job = job;
    MPI_Comm_create_errhandler(on_mpi_error, &handler);
    return handler;
}
