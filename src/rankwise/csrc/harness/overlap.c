/* Nonblocking operations: alone (`time`), a computation of about the same length (`compute`), and
 * the computation between start and wait (`total`). */
#include "harness.h"

enum { CHUNKS = 16 }; /* of the computation; the library is polled after each, as applications do */

static void compute(Job *job, long steps)
{
    double x = job->compute_value;
    for (long i = 0; i < steps; i++)
        x = x * 0.999999 + 1e-6;
    job->compute_value = x;
}

static void compute_alone(Cell *c)
{
    for (int i = 0; i < CHUNKS; i++)
        compute(c->job, c->job->compute_steps);
}

static void start_compute_and_wait(Cell *c)
{
    MPI_Request request;
    int done = 0;
    c->kernel->start(c, &request);
    for (int i = 0; i < CHUNKS; i++) {
        compute(c->job, c->job->compute_steps);
        if (!done)
            MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE); /* returns at once if the test has completed it */
}

/* The fastest of a few runs: a preempted one would make the computation too short. */
static double seconds_per_step(Job *job)
{
    enum { STEPS = 100000, RUNS = 5 };
    double best = 1;
    for (int i = 0; i < RUNS; i++) {
        const double begin = local_seconds(job);
        compute(job, STEPS);
        const double seconds = local_seconds(job) - begin;
        best = seconds < best ? seconds : best;
    }
    return best / STEPS;
}

void measure_overlap(Cell *c, const Options *options)
{
    Job *job = c->job;
    if (job->compute_step_seconds == 0) { /* measured once a launch, the slowest rank's */
        job->compute_value = 0.5;
        job->compute_step_seconds = seconds_per_step(job);
        agree_on_maximum(job, &job->compute_step_seconds, 1);
    }
    const double run_seconds = measure_series(c, options, start_and_wait, "time");
    job->compute_steps = 1 + (long)(run_seconds / CHUNKS / job->compute_step_seconds);
    measure_series(c, options, compute_alone, "compute");
    measure_series(c, options, start_compute_and_wait, "total");
}
