#define _GNU_SOURCE
#include "computing.h"
#include <time.h>

static const double worth_a_sleep_seconds = 2e-4; /* the kernel's timers are late by 50 us */

static double read_clock(clockid_t which)
{
    struct timespec now;
    clock_gettime(which, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Sleeping leaves the core to the other ranks, which spinning would not. What a sleep is late by is
 * taken off the next. */
void wait_for(Computing *computing, double seconds)
{
    computing->owed += seconds;
    if (computing->owed < worth_a_sleep_seconds)
        return;
    const double begun = read_clock(CLOCK_MONOTONIC);
    const struct timespec time = {(time_t)computing->owed,
                                  (long)(1e9 * (computing->owed - (time_t)computing->owed))};
    nanosleep(&time, NULL);
    computing->owed -= read_clock(CLOCK_MONOTONIC) - begun;
}

bool phase_begins(Computing *computing, int phase)
{
    if (computing->skipped) {
        wait_for(computing, computing->seconds[phase]);
        return false;
    }
    computing->begun = read_clock(CLOCK_THREAD_CPUTIME_ID);
    return true;
}

void phase_ends(Computing *computing, int phase)
{
    computing->spent[phase] += read_clock(CLOCK_THREAD_CPUTIME_ID) - computing->begun;
    computing->count[phase]++;
}
