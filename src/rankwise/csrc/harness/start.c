/* The common start. With the start that each rank proposes among the values that a barrier carries,
 * all know one moment, and spin to it on the global clock. Whether a rank came too late for it
 * travels with the next barrier.
 */
#define _GNU_SOURCE
#include "harness.h"
#include <sched.h>
#include <time.h>

/* The slack between an agreement and its start follows the slack that was needed, in small steps:
 * a rank that was preempted once costs one repetition, and does not slow down the following ones.
 * The usual slack is about the 84 % quantile of the needed one, and the same on all ranks. */
static const double STEP_UP = 1.25, STEP_DOWN = 0.95, LEAST_SLACK_SECONDS = 0.5e-6;
static const double MOST_MARGIN_SECONDS = 1e-3;
/* The spinning is no more precise than that. */
static const double LEAST_LATE_SECONDS = 1e-6;

/* How long after the latest proposal this rank learns of the agreement. A long link's delay is
 * steady, and takes long enough: a few trials tell it. */
void measure_slack(Job *job)
{
    enum { TRIALS = 10, OF_LONG_LINKS = 3 };
    for (int i = 0; i < (job->usual_slack_seconds < MOST_MARGIN_SECONDS ? TRIALS : OF_LONG_LINKS);
         i++) {
        double proposed = global_of(job, local_seconds(job));
        agree_on_maximum(job, &proposed, 1);
        double needed = global_of(job, local_seconds(job)) - proposed;
        agree_on_maximum(job, &needed, 1);
        job->usual_slack_seconds =
            i == 0 || needed < job->usual_slack_seconds ? needed : job->usual_slack_seconds;
    }
}

/* As much again as usual; but over a long link, whose delay is steady, no more than the margin. */
static double slack_to_give(const Job *job)
{
    const double margin = job->usual_slack_seconds < MOST_MARGIN_SECONDS ? job->usual_slack_seconds
                                                                         : MOST_MARGIN_SECONDS;
    return job->usual_slack_seconds + margin + LEAST_SLACK_SECONDS;
}

static void agree_on_start(const Job *job, Start *start, bool stop, double *needed, double *took)
{
    start->slack_seconds = slack_to_give(job);
    double agreed[RW_MAXIMUM_VALUES] = {global_of(job, local_seconds(job)) + start->slack_seconds,
                                        *needed, stop, start->overslept_seconds, *took};
    agree_on_maximum(job, agreed, RW_MAXIMUM_VALUES);
    start->local_seconds = rw_clock_local_of(&job->clock, agreed[0]);
    start->stop = agreed[2] != 0;
    start->overslept_seconds = agreed[3];
    *needed = agreed[1];
    *took = agreed[4];
}

void first_start(const Job *job, Start *start, bool at_agreed_time)
{
    double needed = 0, took = 0;
    start->at_agreed_time = at_agreed_time;
    start->overslept_seconds = 0;
    agree_on_start(job, start, false, &needed, &took);
}

double start_after(const Job *job, double seconds)
{
    double agreed = global_of(job, local_seconds(job)) + slack_to_give(job) + seconds;
    agree_on_maximum(job, &agreed, 1);
    return rw_clock_local_of(&job->clock, agreed);
}

void sleep_for(double seconds)
{
    const struct timespec time = {.tv_sec = (time_t)seconds,
                                  .tv_nsec = (long)((seconds - (double)(time_t)seconds) * 1e9)};
    nanosleep(&time, NULL); /* a signal that cuts it short leaves the rest to the caller's loop */
}

/* Far from the start the core is given to others: a library that blocks may have put the rank that
 * this one has just woken onto this very core. Over a long link, where there is time enough, this
 * rank sleeps, but is awake again well before the start. The last stretch is spun, for precision.
 * A core that was given up may come back too late, which is another lateness than that of who came
 * late: no slack mends it. */
void wait_for_start(const Job *job, Start *start)
{
    const double spin_seconds = 5e-6, awake_seconds = 2e-4, least_sleep_seconds = 1e-3;
    double remaining_seconds = start->local_seconds - local_seconds(job);
    start->needed_seconds = start->slack_seconds - remaining_seconds;
    if (start->at_agreed_time && remaining_seconds > awake_seconds + least_sleep_seconds)
        sleep_for(remaining_seconds - awake_seconds);
    while (start->at_agreed_time && remaining_seconds > 0) {
        if (job->yields || remaining_seconds > spin_seconds)
            sched_yield();
        remaining_seconds = start->local_seconds - local_seconds(job);
    }
    const bool came_in_time = start->needed_seconds <= start->slack_seconds;
    start->overslept_seconds = came_in_time && start->at_agreed_time ? -remaining_seconds : 0;
}

bool next_start(Job *job, Start *start, double took_seconds, bool stop)
{
    const double slack_seconds = start->slack_seconds;
    double needed = start->needed_seconds, took = took_seconds;
    agree_on_start(job, start, stop, &needed, &took);
    job->usual_slack_seconds *= needed > job->usual_slack_seconds ? STEP_UP : STEP_DOWN;
    const double tolerance = start->late_share * took;
    start->overslept = start->overslept_seconds >
                       (tolerance > LEAST_LATE_SECONDS ? tolerance : LEAST_LATE_SECONDS);
    const double most_needed = slack_seconds + start->tardy_share * took;
    return !start->at_agreed_time || (needed <= most_needed && !start->overslept);
}
