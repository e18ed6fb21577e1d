/* What happens once a launch: a single sample, the longest of all ranks. */
#include "harness.h"

void measure_once(Cell *c)
{
    double seconds = c->kernel->once(c);
    agree_on_maximum(c->job, &seconds, 1);
    if (c->job->rank == 0)
        emit_series(
            c, &(Series){.quantity = "time", .batch = 1, .count = 1, .samples_seconds = &seconds});
}
