/* Computation of a given length, and nonblocking operations with it between start and wait. The
 * library may be polled between its pieces, as some applications do. */
#include "harness.h"

static void compute(Job *job, long steps)
{
    double x = job->compute_value;
    for (long i = 0; i < steps; i++)
        x = x * 0.999999 + 1e-6;
    job->compute_value = x;
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

/* A step takes what it takes on the slowest rank. */
void prepare_computing(Job *job, int polls)
{
    job->compute_polls = polls;
    if (job->compute_step_seconds > 0)
        return;
    job->compute_value = 0.5;
    job->compute_step_seconds = seconds_per_step(job);
    agree_on_maximum(job, &job->compute_step_seconds, 1);
}

void compute_for(Job *job, double seconds)
{
    const int pieces = job->compute_polls + 1;
    job->compute_steps = 1 + (long)(seconds / pieces / job->compute_step_seconds);
}

void compute_alone(Cell *c)
{
    for (int piece = 0; piece <= c->job->compute_polls; piece++)
        compute(c->job, c->job->compute_steps);
}

void start_compute_and_wait(Cell *c)
{
    MPI_Request request;
    int done = 0;
    c->kernel->start(c, &request);
    compute(c->job, c->job->compute_steps);
    for (int poll = 0; poll < c->job->compute_polls; poll++) {
        if (!done)
            MPI_Test(&request, &done, MPI_STATUS_IGNORE);
        compute(c->job, c->job->compute_steps);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE); /* returns at once if the test has completed it */
}
