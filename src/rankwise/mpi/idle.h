/* Lets other ranks have the core where this one only waits, for there are more of them than cores.
 *
 * A rank that polls without end never gives up the core, so that each message waits for the end of
 * another rank's time slice (milliseconds). One whose polls find nothing yields, and now and then
 * sleeps, since a yield alone passes the core to whom the scheduler likes. Messages through an
 * MPI's own shared memory are no events for what is polled: hence the new start after a sleep. */
#ifndef RANKWISE_IDLE_H
#define RANKWISE_IDLE_H

#include <sched.h>
#include <stdbool.h>
#include <time.h>

/* After each poll. */
static void after_poll(bool found)
{
    enum { BEFORE_YIELD = 2, BEFORE_SLEEP = 40 };
    static __thread int empty;
    if (found) {
        empty = 0;
    } else if (++empty > BEFORE_SLEEP) {
        const struct timespec shortest = {0, 1000};
        nanosleep(&shortest, NULL);
        empty = 0;
    } else if (empty > BEFORE_YIELD) {
        sched_yield();
    }
}

#endif
