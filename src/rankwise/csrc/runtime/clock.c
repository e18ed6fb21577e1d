#define _GNU_SOURCE
#include "clock.h"
#include "error.h"
#include "proc.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { IDENTITY_BYTES = 160 };
static const double MAXIMAL_AGE_SECONDS = 1.0;

double rw_clock_local(const RwClock *clock)
{
    return rw_time_seconds(&clock->time);
}

double rw_clock_global(const RwClock *clock, double local_seconds)
{
    return rw_model_global(&clock->model, local_seconds);
}

double rw_clock_local_of(const RwClock *clock, double global_seconds)
{
    return rw_model_local(&clock->model, global_seconds);
}

/* The offset as it was measured, and what the rate adds until the offset is taken anew. */
double rw_clock_error(const RwClock *clock)
{
    const double age_seconds = rw_clock_local(clock) - clock->model.local_seconds;
    return clock->offset_error_seconds +
           clock->rate_error * fmax(clock->oldest_seconds, age_seconds);
}

/* Leaders learn along a binomial tree, the others take over the model of the leader whose clock
 * they share. */
static int synchronise(RwClock *clock, bool rate_too)
{
    const MPI_Comm comm = clock->barrier.comm;
    const int *leaders = clock->leaders;
    const int count = clock->leader_count;
    int position = 0, distance = 1;
    while (position < count && leaders[position] != clock->barrier.rank)
        position++;
    while (distance < count)
        distance *= 2;
    for (; position < count && distance >= 1; distance /= 2) {
        if (position % (2 * distance) == distance)
            RW_TRY(rw_model_learn(&clock->model, &clock->time, comm, leaders[position - distance],
                                  rate_too));
        else if (position % (2 * distance) == 0 && position + distance < count)
            RW_TRY(
                rw_model_answer(&clock->model, &clock->time, comm, leaders[position + distance]));
    }
    if (clock->barrier.rank == 0)
        clock->model.local_seconds = clock->model.global_seconds = rw_clock_local(clock);
    return MPI_Bcast(&clock->model, sizeof clock->model, MPI_BYTE, 0, clock->same_clock);
}

/* What every rank's clock may still be off from rank 0's: half of the shortest round trip, and by
 * how much the model contradicts its middle; the largest on every rank. */
static int measure_error(RwClock *clock)
{
    const RwBarrier *b = &clock->barrier;
    double errors[2] = {0, clock->model.rate_error};
    for (int rank = 1; rank < b->ranks; rank++) {
        if (b->rank == 0)
            RW_TRY(rw_model_answer(&clock->model, &clock->time, b->comm, rank));
        else if (b->rank == rank)
            RW_TRY(rw_model_compare(&clock->model, &clock->time, b->comm, 0, &errors[0]));
    }
    RW_TRY(rw_barrier_maximum(b, errors, 2));
    clock->offset_error_seconds = errors[0];
    clock->rate_error = errors[1];
    clock->oldest_seconds = MAXIMAL_AGE_SECONDS;
    return MPI_SUCCESS;
}

/* Equal on two ranks if, and only if, they read one clock. */
static void describe_clock(char identity[IDENTITY_BYTES], int rank, const RwClockOptions *options)
{
    char boot[64], time_space[64];
    rw_read_line("/proc/sys/kernel/random/boot_id", boot, sizeof boot);
    rw_read_link("/proc/self/ns/time", time_space, sizeof time_space);
    const bool skewed = options->skew_offset_seconds != 0 || options->skew_drift != 0;
    memset(identity, 0, IDENTITY_BYTES);
    if (options->choice == RW_CLOCK_SHARED)
        strcpy(identity, "declared");
    else if (options->choice == RW_CLOCK_SYNCHRONISED || skewed || !boot[0])
        snprintf(identity, IDENTITY_BYTES, "rank %d", rank);
    else
        snprintf(identity, IDENTITY_BYTES, "%s %s", boot, time_space);
}

/* `identities` has room for those of all ranks. */
static int find_leaders(RwClock *clock, const RwClockOptions *options, char *identities)
{
    const RwBarrier *b = &clock->barrier;
    char mine[IDENTITY_BYTES];
    int my_leader = 0;
    describe_clock(mine, b->rank, options);
    RW_TRY(MPI_Allgather(mine, IDENTITY_BYTES, MPI_BYTE, identities, IDENTITY_BYTES, MPI_BYTE,
                         b->comm));
    for (int rank = 0; rank < b->ranks; rank++) {
        const char *identity = identities + (size_t)rank * IDENTITY_BYTES;
        int first = 0;
        while (memcmp(identities + (size_t)first * IDENTITY_BYTES, identity, IDENTITY_BYTES) != 0)
            first++;
        if (first == rank)
            clock->leaders[clock->leader_count++] = rank;
        if (memcmp(identity, mine, IDENTITY_BYTES) == 0 && first == rank)
            my_leader = rank;
    }
    return MPI_Comm_split(b->comm, my_leader, b->rank, &clock->same_clock);
}

/* Memory first, and only if every rank has it: else one would wait for another that has left. */
static int group_by_clock(RwClock *clock, const RwClockOptions *options)
{
    const size_t ranks = (size_t)clock->barrier.ranks;
    char *identities = malloc(ranks * IDENTITY_BYTES);
    clock->leaders = malloc(ranks * sizeof *clock->leaders);
    double lacking_bytes = !identities       ? (double)(ranks * IDENTITY_BYTES)
                           : !clock->leaders ? (double)(ranks * sizeof *clock->leaders)
                                             : 0;
    int error = rw_barrier_maximum(&clock->barrier, &lacking_bytes, 1);
    if (error == MPI_SUCCESS && lacking_bytes > 0) {
        clock->wanted_bytes = (size_t)lacking_bytes;
        error = MPI_ERR_NO_MEM;
    }
    if (error == MPI_SUCCESS)
        error = find_leaders(clock, options, identities);
    free(identities);
    return error;
}

int rw_clock_start(RwClock *clock, MPI_Comm comm, const RwClockOptions *options)
{
    *clock = (RwClock){.model = {0, 0, 1, 0}, .same_clock = MPI_COMM_NULL};
    RW_TRY(rw_barrier_open(&clock->barrier, comm));
    RW_TRY(group_by_clock(clock, options));
    clock->shared = clock->leader_count == 1;
    rw_time_start(&clock->time);
    RW_TRY(MPI_Bcast(&clock->time.base_seconds, 1, MPI_LONG_LONG_INT, 0, clock->same_clock));
    clock->time.offset_seconds = clock->barrier.rank * options->skew_offset_seconds;
    clock->time.rate = 1 + clock->barrier.rank * options->skew_drift;
    if (!clock->shared)
        RW_TRY(synchronise(clock, true));
    clock->timer = rw_time_measure(&clock->time);
    return clock->shared ? MPI_SUCCESS : measure_error(clock);
}

double rw_clock_age(const RwClock *clock)
{
    return clock->shared ? 0 : rw_clock_local(clock) - clock->model.local_seconds;
}

bool rw_clock_is_old(RwClock *clock, double age_seconds)
{
    clock->oldest_seconds = fmax(clock->oldest_seconds, age_seconds);
    return age_seconds > MAXIMAL_AGE_SECONDS;
}

int rw_clock_refresh(RwClock *clock)
{
    return clock->shared ? MPI_SUCCESS : synchronise(clock, false);
}

int rw_clock_stop(RwClock *clock)
{
    free(clock->leaders);
    clock->leaders = NULL;
    return clock->same_clock == MPI_COMM_NULL ? MPI_SUCCESS : MPI_Comm_free(&clock->same_clock);
}
