/* One clock for all ranks: rank 0's.
 *
 * Ranks on one kernel read the same CLOCK_MONOTONIC, and nothing needs to be done. Others learn
 * global = global0 + (local - local0) * rate along a binomial tree of one rank per kernel, each
 * from a rank that has learnt already and answers in global time, as HCA3 does (S. Hunold and A.
 * Carpen-Amarie, "Hierarchical Clock Synchronization in MPI", CLUSTER 2018). An offset is taken
 * from the exchange with the shortest round trip, whose error is at most half of that; the rate is
 * the slope of a line through several of them.
 */
#define _GNU_SOURCE
#include "harness.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ASK = 31, ANSWER = 32, MODEL = 33, IDENTITY_BYTES = 160, EXCHANGES = 8, FIT_SLOTS = 12 };
static const double FIT_SECONDS = 0.1, REFRESH_SECONDS = 0.002, MAXIMAL_AGE_SECONDS = 1.0;

static struct {
    double local, global, rate;
} model = {0, 0, 1};
static time_t base_seconds; /* subtracted first: a double of a year's seconds has only 4 ns steps */
static double test_offset, test_rate = 1;

static bool shared;
static int *leaders; /* one rank per kernel, ascending */
static int leader_count;
static MPI_Comm same_clock; /* the ranks of one kernel, their leader first */

double local_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    const double seconds = (double)(now.tv_sec - base_seconds) + (double)now.tv_nsec * 1e-9;
    return seconds * test_rate + test_offset;
}

double global_of(double local)
{
    return model.global + (local - model.local) * model.rate;
}

double local_of(double global)
{
    return model.local + (global - model.global) / model.rate;
}

typedef struct {
    double local, offset; /* global - local at that local time */
    double round_trip;
} Reading;

static Reading ask(int reference)
{
    double more = 1, global;
    const double begin = local_seconds();
    MPI_Send(&more, 1, MPI_DOUBLE, reference, ASK, world.comm);
    MPI_Recv(&global, 1, MPI_DOUBLE, reference, ANSWER, world.comm, MPI_STATUS_IGNORE);
    const double end = local_seconds();
    const double middle = begin + (end - begin) / 2;
    return (Reading){middle, global - middle, end - begin};
}

/* The best of at least EXCHANGES readings within `seconds`. */
static Reading best_reading(int reference, double seconds)
{
    Reading best = ask(reference);
    const double until = best.local + seconds;
    for (int i = 1; i < EXCHANGES || local_seconds() < until; i++) {
        const Reading reading = ask(reference);
        if (reading.round_trip < best.round_trip)
            best = reading;
    }
    return best;
}

static void end_asking(int reference)
{
    double more = 0;
    MPI_Send(&more, 1, MPI_DOUBLE, reference, ASK, world.comm);
}

static void answer(int client)
{
    for (;;) {
        double more, global;
        MPI_Recv(&more, 1, MPI_DOUBLE, client, ASK, world.comm, MPI_STATUS_IGNORE);
        if (more == 0)
            return;
        global = global_of(local_seconds());
        MPI_Send(&global, 1, MPI_DOUBLE, client, ANSWER, world.comm);
    }
}

/* Least squares of offset over local time. A slope that could be the readings' noise (within three
 * standard errors) counts as none: a wrong rate does more harm than a small drift. */
static void fit(const Reading *readings, int count)
{
    double time = 0, offset = 0, tt = 0, to = 0, residual = 0;
    for (int i = 0; i < count; i++) {
        time += readings[i].local / count;
        offset += readings[i].offset / count;
    }
    for (int i = 0; i < count; i++) {
        tt += (readings[i].local - time) * (readings[i].local - time);
        to += (readings[i].local - time) * (readings[i].offset - offset);
    }
    const double slope = to / tt;
    for (int i = 0; i < count; i++) {
        const double error = readings[i].offset - offset - slope * (readings[i].local - time);
        residual += error * error;
    }
    const double standard_error = sqrt(residual / (count - 2) / tt);
    model.local = time;
    model.global = time + offset;
    model.rate = fabs(slope) > 3 * standard_error ? 1 + slope : 1;
}

static void learn(int reference, bool rate_too)
{
    if (rate_too) {
        Reading readings[FIT_SLOTS];
        for (int i = 0; i < FIT_SLOTS; i++)
            readings[i] = best_reading(reference, FIT_SECONDS / FIT_SLOTS);
        fit(readings, FIT_SLOTS);
    } else {
        const Reading reading = best_reading(reference, REFRESH_SECONDS);
        model.local = reading.local;
        model.global = reading.local + reading.offset;
    }
    end_asking(reference);
}

/* Leaders learn along a binomial tree, the others on a kernel take over their leader's model. */
static void synchronise(bool rate_too)
{
    int position = 0, distance = 1;
    while (position < leader_count && leaders[position] != world.rank)
        position++;
    while (distance < leader_count)
        distance *= 2;
    for (; position < leader_count && distance >= 1; distance /= 2) {
        if (position % (2 * distance) == distance)
            learn(leaders[position - distance], rate_too);
        else if (position % (2 * distance) == 0 && position + distance < leader_count)
            answer(leaders[position + distance]);
    }
    if (world.rank == 0)
        model.local = model.global = local_seconds();
    MPI_Bcast(&model, sizeof model, MPI_BYTE, 0, same_clock);
}

/* What every rank's clock is still off from rank 0's, measured; the largest on every rank. */
static double residual_seconds(void)
{
    double error = 0, largest;
    for (int rank = 1; rank < world.ranks; rank++) {
        if (world.rank == 0)
            answer(rank);
        if (world.rank != rank)
            continue;
        const Reading reading = best_reading(0, REFRESH_SECONDS);
        error = fabs(global_of(reading.local) - reading.local - reading.offset);
        end_asking(0);
    }
    MPI_Allreduce(&error, &largest, 1, MPI_DOUBLE, MPI_MAX, world.comm);
    return largest;
}

/* Equal on two ranks if, and only if, they read one clock. */
static void describe_clock(char identity[IDENTITY_BYTES], const Options *options)
{
    char boot[64], time_space[64];
    read_line("/proc/sys/kernel/random/boot_id", boot, sizeof boot);
    read_link("/proc/self/ns/time", time_space, sizeof time_space);
    const bool skewed = options->skew_offset_seconds != 0 || options->skew_drift != 0;
    memset(identity, 0, IDENTITY_BYTES);
    if (options->clock == CLOCK_SHARED)
        strcpy(identity, "declared");
    else if (options->clock == CLOCK_SYNCHRONISED || skewed || !boot[0])
        snprintf(identity, IDENTITY_BYTES, "rank %d", world.rank);
    else
        snprintf(identity, IDENTITY_BYTES, "%s %s", boot, time_space);
}

static void find_leaders(const Options *options)
{
    char mine[IDENTITY_BYTES];
    int my_leader = 0;
    char *all = malloc((size_t)world.ranks * IDENTITY_BYTES);
    leaders = malloc((size_t)world.ranks * sizeof *leaders);
    describe_clock(mine, options);
    MPI_Allgather(mine, IDENTITY_BYTES, MPI_BYTE, all, IDENTITY_BYTES, MPI_BYTE, world.comm);
    for (int rank = 0; rank < world.ranks; rank++) {
        const char *identity = all + (size_t)rank * IDENTITY_BYTES;
        int first = 0;
        while (memcmp(all + (size_t)first * IDENTITY_BYTES, identity, IDENTITY_BYTES) != 0)
            first++;
        if (first == rank)
            leaders[leader_count++] = rank;
        if (memcmp(identity, mine, IDENTITY_BYTES) == 0 && first == rank)
            my_leader = rank;
    }
    free(all);
    MPI_Comm_split(world.comm, my_leader, world.rank, &same_clock);
}

static double cost_seconds;

double timer_cost_seconds(void)
{
    return cost_seconds;
}

/* The cheapest of several blocks of reads: in the others the rank was preempted. */
static void measure_timer(ClockReport *report)
{
    enum { BLOCKS = 20, READS = 1000 };
    double step = 1;
    cost_seconds = 1;
    for (int block = 0; block < BLOCKS; block++) {
        const double begin = local_seconds();
        double last = begin;
        for (int i = 0; i < READS; i++) {
            const double now = local_seconds();
            if (now > last && now - last < step)
                step = now - last;
            last = now;
        }
        if ((last - begin) / READS < cost_seconds)
            cost_seconds = (last - begin) / READS;
    }
    report->cost_seconds = cost_seconds;
    report->resolution_seconds = step;
}

ClockReport start_clock(const Options *options)
{
    struct timespec now;
    ClockReport report = {0};
    find_leaders(options);
    shared = leader_count == 1;
    clock_gettime(CLOCK_MONOTONIC, &now);
    long long base = (long long)now.tv_sec;
    MPI_Bcast(&base, 1, MPI_LONG_LONG_INT, 0, same_clock);
    base_seconds = (time_t)base;
    test_offset = world.rank * options->skew_offset_seconds;
    test_rate = 1 + world.rank * options->skew_drift;
    if (!shared)
        synchronise(true);
    measure_timer(&report);
    report.shared = shared;
    report.error_seconds = shared ? 0 : residual_seconds();
    return report;
}

/* The rates drift themselves: before a cell, offsets that have grown old are taken anew. */
void refresh_clock(void)
{
    if (shared)
        return;
    double age_seconds = local_seconds() - model.local;
    agree_on_maximum(&age_seconds, 1);
    if (age_seconds > MAXIMAL_AGE_SECONDS)
        synchronise(false);
}
