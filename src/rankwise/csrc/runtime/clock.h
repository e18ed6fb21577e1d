/* One clock for all ranks of a communicator: rank 0's.
 *
 * Ranks on one machine read the same CLOCK_MONOTONIC, and nothing needs to be done. Others learn
 * how their clock relates to rank 0's along a binomial tree of one rank per clock, as HCA3 does (S.
 * Hunold and A. Carpen-Amarie, "Hierarchical Clock Synchronization in MPI", CLUSTER 2018).
 *
 * A library that is loaded into a program uses it so, on a communicator of its own:
 *
 *     RwClock clock;
 *     error = rw_clock_start(&clock, comm, &(RwClockOptions){RW_CLOCK_AUTO, 0, 0});
 *     moment = rw_clock_global(&clock, rw_clock_local(&clock));
 *     error = rw_clock_stop(&clock);
 *
 * A library that intercepts MPI calls compiles these files with its own names for the calls
 * (-DMPI_Sendrecv=PMPI_Sendrecv and so on), or meets them in what it intercepts.
 */
#ifndef RANKWISE_RUNTIME_CLOCK_H
#define RANKWISE_RUNTIME_CLOCK_H

#include "barrier.h"
#include "clock_model.h"
#include "time_base.h"
#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

/* AUTO finds out which ranks share a clock; the others declare that all do, or none. */
typedef enum { RW_CLOCK_AUTO, RW_CLOCK_SHARED, RW_CLOCK_SYNCHRONISED } RwClockChoice;

typedef struct {
    RwClockChoice choice;
    /* For tests: the clock of rank r, t, reads t + r * offset + r * drift * t. */
    double skew_offset_seconds, skew_drift;
} RwClockOptions;

typedef struct {
    bool shared; /* by all ranks: nothing had to be synchronised */
    RwTimer timer;
    size_t wanted_bytes; /* that the first rank lacked, after MPI_ERR_NO_MEM */

    /* The clock's own. */
    RwTimeBase time;
    RwClockModel model;
    double offset_error_seconds, rate_error; /* the largest of all ranks */
    double oldest_seconds;                   /* how old an offset has become that was used */
    RwBarrier barrier;
    int *leaders; /* one rank per clock, ascending */
    int leader_count;
    MPI_Comm same_clock; /* the ranks that share this one's, their leader first */
} RwClock;

/* All ranks call these together. If one of them lacks the memory, all return MPI_ERR_NO_MEM.
 * After an error of rw_clock_start, rw_clock_stop frees what there is. */
int rw_clock_start(RwClock *clock, MPI_Comm comm, const RwClockOptions *options);
/* Rates drift: takes offsets anew. */
int rw_clock_refresh(RwClock *clock);
int rw_clock_stop(RwClock *clock);

/* What a rank's global seconds may have been off from rank 0's clock until now, at most: half of
 * the shortest round trip between the two (for the ways there and back may differ), what the model
 * contradicts it by, and what rates that are not known exactly add. 0 if shared; on every rank the
 * largest of all. */
double rw_clock_error(const RwClock *clock);

/* How old this process's offset is, and whether the oldest of all, which the caller finds out, is
 * too old to be used. */
double rw_clock_age(const RwClock *clock);
bool rw_clock_is_old(RwClock *clock, double age_seconds);

double rw_clock_local(const RwClock *clock);
double rw_clock_global(const RwClock *clock, double local_seconds);
double rw_clock_local_of(const RwClock *clock, double global_seconds);

#endif
