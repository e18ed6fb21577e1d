#define _GNU_SOURCE
#include "time_base.h"
#include <time.h>

void rw_time_start(RwTimeBase *time)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    *time = (RwTimeBase){.base_seconds = (long long)now.tv_sec, .rate = 1};
}

double rw_time_seconds(const RwTimeBase *time)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    const double seconds =
        (double)((long long)now.tv_sec - time->base_seconds) + (double)now.tv_nsec * 1e-9;
    return seconds * time->rate + time->offset_seconds;
}

/* The cheapest of several blocks of reads: in the others the rank was preempted. */
RwTimer rw_time_measure(const RwTimeBase *time)
{
    enum { BLOCKS = 20, READS = 1000 };
    RwTimer timer = {1, 1};
    for (int block = 0; block < BLOCKS; block++) {
        const double begin = rw_time_seconds(time);
        double last = begin;
        for (int i = 0; i < READS; i++) {
            const double now = rw_time_seconds(time);
            if (now > last && now - last < timer.resolution_seconds)
                timer.resolution_seconds = now - last;
            last = now;
        }
        if ((last - begin) / READS < timer.cost_seconds)
            timer.cost_seconds = (last - begin) / READS;
    }
    return timer;
}
