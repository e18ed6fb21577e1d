/* Our own barrier, so that the library's MPI_Barrier decides nothing, and the common start.
 *
 * A dissemination barrier (D. Hensgen, R. Finkel and U. Manber, 1988) carries the maximum of a few
 * values: after the last round every rank has the maximum over all ranks. With the start that each
 * rank proposes among them, all know one moment, and spin to it on the global clock. Whether a rank
 * came too late for it travels with the next barrier.
 */
#define _GNU_SOURCE
#include "harness.h"
#include <sched.h>

enum { BARRIER = 41, VALUES = 3 };
static const double FIRST_SLACK_SECONDS = 20e-6, LEAST_SLACK_SECONDS = 1e-6,
                    MOST_SLACK_SECONDS = 0.05;

static bool yielding;

void set_yielding(bool yields)
{
    yielding = yields;
}

void wait_a_little(void)
{
    if (yielding)
        sched_yield();
}

void agree_on_maximum(double *values, int count)
{
    for (int distance = 1; distance < world.ranks; distance *= 2) {
        double others[VALUES];
        const int to = (world.rank + distance) % world.ranks;
        const int from = (world.rank - distance + world.ranks) % world.ranks;
        MPI_Sendrecv(values, count, MPI_DOUBLE, to, BARRIER, others, count, MPI_DOUBLE, from,
                     BARRIER, world.comm, MPI_STATUS_IGNORE);
        for (int i = 0; i < count; i++) {
            if (others[i] > values[i])
                values[i] = others[i];
        }
    }
}

void wait_for_all(void)
{
    double nothing = 0;
    agree_on_maximum(&nothing, 1);
}

static double slack_seconds; /* kept from series to series */

bool next_start(Start *start, bool in_time, bool stop)
{
    double agreed[VALUES] = {global_of(local_seconds()) + slack_seconds, !in_time, stop};
    agree_on_maximum(agreed, VALUES);
    const bool all_in_time = agreed[1] == 0;
    start->local_seconds = local_of(agreed[0]);
    start->stop = agreed[2] != 0;
    /* Doubled when too short, shortened slowly: a repetition in two hundred or so is lost to it. */
    slack_seconds *= all_in_time ? 0.996 : 2;
    if (slack_seconds < LEAST_SLACK_SECONDS)
        slack_seconds = LEAST_SLACK_SECONDS;
    if (slack_seconds > MOST_SLACK_SECONDS)
        slack_seconds = MOST_SLACK_SECONDS;
    return all_in_time;
}

void first_start(Start *start, bool windowed)
{
    start->windowed = windowed;
    if (slack_seconds == 0)
        slack_seconds = FIRST_SLACK_SECONDS;
    next_start(start, true, false);
}

bool wait_for_start(const Start *start)
{
    if (!start->windowed)
        return true;
    if (local_seconds() > start->local_seconds)
        return false;
    while (local_seconds() < start->local_seconds)
        wait_a_little();
    return true;
}
