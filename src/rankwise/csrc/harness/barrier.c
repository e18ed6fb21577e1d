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
#include <time.h>

enum { BARRIER = 41, VALUES = 3 };

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

/* The slack between an agreement and its start follows the slack that was needed, in small steps:
 * a rank that was preempted once costs one repetition, and does not slow down the following ones.
 */
static double
    usual_seconds; /* about the 84 % quantile of the needed slack; the same on all ranks */
static const double STEP_UP = 1.25, STEP_DOWN = 0.95, LEAST_SLACK_SECONDS = 0.5e-6;
static const double MOST_MARGIN_SECONDS = 1e-3;

/* How long after the latest proposal this rank learns of the agreement. A long link's delay is
 * steady, and takes long enough: a few trials tell it. */
void measure_slack(void)
{
    enum { TRIALS = 10, OF_LONG_LINKS = 3 };
    for (int i = 0; i < (usual_seconds < MOST_MARGIN_SECONDS ? TRIALS : OF_LONG_LINKS); i++) {
        double proposed = global_of(local_seconds());
        agree_on_maximum(&proposed, 1);
        double needed = global_of(local_seconds()) - proposed;
        agree_on_maximum(&needed, 1);
        usual_seconds = i == 0 || needed < usual_seconds ? needed : usual_seconds;
    }
}

/* As much again as usual; but over a long link, whose delay is steady, no more than the margin. */
static double slack_to_give(void)
{
    const double margin = usual_seconds < MOST_MARGIN_SECONDS ? usual_seconds : MOST_MARGIN_SECONDS;
    return usual_seconds + margin + LEAST_SLACK_SECONDS;
}

static void agree_on_start(Start *start, bool stop, double *needed)
{
    start->slack_seconds = slack_to_give();
    double agreed[VALUES] = {global_of(local_seconds()) + start->slack_seconds, *needed, stop};
    agree_on_maximum(agreed, VALUES);
    start->local_seconds = local_of(agreed[0]);
    start->stop = agreed[2] != 0;
    *needed = agreed[1];
}

void first_start(Start *start, bool windowed)
{
    double nothing = 0;
    start->windowed = windowed;
    agree_on_start(start, false, &nothing);
}

double start_after(double seconds)
{
    double agreed = global_of(local_seconds()) + slack_to_give() + seconds;
    agree_on_maximum(&agreed, 1);
    return local_of(agreed);
}

static void sleep_for(double seconds)
{
    const struct timespec time = {.tv_sec = (time_t)seconds,
                                  .tv_nsec = (long)((seconds - (double)(time_t)seconds) * 1e9)};
    nanosleep(&time, NULL); /* a signal that cuts it short leaves the rest to the caller's loop */
}

/* Far from the start the core is given to others: a library that blocks may have put the rank that
 * this one has just woken onto this very core. Over a long link, where there is time enough, this
 * rank sleeps, but is awake again well before the start. The last stretch is spun, for precision.
 */
void wait_for_start(Start *start)
{
    const double spin_seconds = 5e-6, awake_seconds = 2e-4, least_sleep_seconds = 1e-3;
    double remaining_seconds = start->local_seconds - local_seconds();
    start->needed_seconds = start->slack_seconds - remaining_seconds;
    if (start->windowed && remaining_seconds > awake_seconds + least_sleep_seconds)
        sleep_for(remaining_seconds - awake_seconds);
    while (start->windowed && remaining_seconds > 0) {
        if (yielding || remaining_seconds > spin_seconds)
            sched_yield();
        remaining_seconds = start->local_seconds - local_seconds();
    }
}

bool next_start(Start *start, bool stop)
{
    const double slack_seconds = start->slack_seconds;
    double needed = start->needed_seconds;
    agree_on_start(start, stop, &needed);
    usual_seconds *= needed > usual_seconds ? STEP_UP : STEP_DOWN;
    return needed <= slack_seconds || !start->windowed;
}
