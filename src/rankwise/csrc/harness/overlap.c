/* Nonblocking operations: alone (`time`), a computation of about the same length (`compute`), and
 * the computation between start and wait (`total`). */
#include "harness.h"

enum { CHUNKS = 16 }; /* of the computation; the library is polled after each, as applications do */

static long steps_per_chunk;
static volatile double seed = 0.5; /* volatile, or the compiler sees through the loop */

static void compute(long steps)
{
    double x = seed;
    for (long i = 0; i < steps; i++)
        x = x * 0.999999 + 1e-6;
    seed = x;
}

void start_and_wait(Cell *c)
{
    MPI_Request request;
    c->kernel->start(c, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void compute_alone(Cell *c)
{
    (void)c;
    for (int i = 0; i < CHUNKS; i++)
        compute(steps_per_chunk);
}

static void start_compute_and_wait(Cell *c)
{
    MPI_Request request;
    int done = 0;
    c->kernel->start(c, &request);
    for (int i = 0; i < CHUNKS; i++) {
        compute(steps_per_chunk);
        if (!done)
            MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE); /* returns at once if the test has completed it */
}

/* The fastest of a few runs: a preempted one would make the computation too short. */
static double seconds_per_step(void)
{
    enum { STEPS = 100000, RUNS = 5 };
    double best = 1;
    for (int i = 0; i < RUNS; i++) {
        const double begin = local_seconds();
        compute(STEPS);
        const double seconds = local_seconds() - begin;
        best = seconds < best ? seconds : best;
    }
    return best / STEPS;
}

void measure_overlap(Cell *c, const Options *options)
{
    static double step_seconds; /* measured once a launch, the slowest rank's */
    if (step_seconds == 0) {
        step_seconds = seconds_per_step();
        agree_on_maximum(&step_seconds, 1);
    }
    const double operation_seconds = measure_series(c, options, start_and_wait, "time");
    steps_per_chunk = 1 + (long)(operation_seconds / CHUNKS / step_seconds);
    measure_series(c, options, compute_alone, "compute");
    measure_series(c, options, start_compute_and_wait, "total");
}
