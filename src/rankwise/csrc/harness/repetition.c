/* One repetition: its number, which decides its root and data, and the calls of `run`. */
#include "harness.h"
#include <sched.h>

void set_repetition(Cell *c, const Options *options, int repetition)
{
    c->repetition = repetition;
    c->root = options->root == ROTATE ? repetition % c->ranks : options->root;
    renew_prepared(c);
}

void start_and_wait(Cell *c)
{
    MPI_Request request = MPI_REQUEST_NULL; /* where starting it fails */
    c->kernel->start(c, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

Run run_of(const Kernel *kernel)
{
    return kernel->start ? start_and_wait : kernel->run;
}

void run_times(Cell *c, Run run, int times)
{
    for (int i = 0; i < times; i++) {
        if (c->active)
            run(c);
        if (c->regions > 1)
            next_buffers(c);
    }
}

void restart_timer(Cell *c)
{
    c->entry_seconds = local_seconds(c->job);
}

void wait_a_little(const Cell *c)
{
    if (c->job->yields)
        sched_yield();
}
