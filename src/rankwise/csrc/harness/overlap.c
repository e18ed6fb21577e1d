/* Nonblocking operations, as OSU and IMB measure them: alone (`time`), a computation
 * that takes as long (`compute`), and the computation between start and wait (`total`). The
 * computation is sized by the samples of `time` in this very launch, so that all three belong
 * together. */
#include "harness.h"
#include <stdlib.h>

static int ascending(const void *one, const void *other)
{
    const double a = *(const double *)one, b = *(const double *)other;
    return (a > b) - (a < b);
}

/* On every rank; rank 0 has the samples. */
static double median_of(const Job *job, Samples samples)
{
    double median = 0;
    if (samples.count) {
        qsort(samples.seconds, (size_t)samples.count, sizeof *samples.seconds, ascending);
        median = samples.seconds[samples.count / 2];
    }
    agree_on_maximum(job, &median, 1);
    return median;
}

void measure_overlap(Cell *c, const Options *options)
{
    prepare_computing(c->job, options->polls);
    compute_for(c->job, median_of(c->job, measure_series(c, options, start_and_wait, "time")));
    measure_series(c, options, compute_alone, "compute");
    measure_series(c, options, start_compute_and_wait, "total");
}
