/* Stands between a program and its MPI: collective operations for which the decision table names
 * an algorithm are carried out by that algorithm's schedule, everything else is the library's own.
 *
 * Each function that is taken over has a wrapper, written by artifacts/overlay.py from the
 * declarations in the library's mpi.h. A wrapper fills in a Collective and asks take_over; where
 * that declines, it calls the library. All calls of ours are PMPI_. */
#ifndef RANKWISE_OVERLAY_H
#define RANKWISE_OVERLAY_H

#include "../schedules/algorithm.h"
#include <mpi.h>

/* The counts or displacements of a v-variant: ints, or 64 bits each in a `_c` variant. */
typedef struct {
    const void *array;
    bool wide;
} Numbers;

static inline int64_t number(Numbers numbers, int index)
{
    return numbers.wide ? ((const int64_t *)numbers.array)[index]
                        : ((const int *)numbers.array)[index];
}

/* A collective operation as the program called it. What an operation does not have is zero; a
 * broadcast's buffer is both `send` and `recv`, a reduction's type and count are both as well. */
typedef struct {
    int function; /* in `tallies` */
    Operation operation;
    bool varies; /* a v-variant: the blocks' lengths differ */
    const void *send;
    void *recv;
    int64_t send_count, recv_count;
    Numbers send_counts, send_starts, recv_counts, recv_starts;
    MPI_Datatype send_type, recv_type;
    MPI_Op op;
    int root;
    MPI_Comm comm;
    MPI_Request *request; /* of a nonblocking operation */
} Collective;

/* What became of the calls of one wrapped function. */
typedef struct {
    const char *name;
    long replaced, passed;
} Tally;
extern Tally tallies[];
extern const int tally_count;

/* Not 0: a rule may name this operation (0 from the moment that we know that none does). */
extern unsigned char may_replace[OPERATIONS];

/* Not 0: this thread is inside one of our functions, and what is called there is the library's. */
extern __thread int inside __attribute__((tls_model("initial-exec")));

/* The communicators that this thread has used of late, for a look that costs two nanoseconds. */
enum { RECENT = 16 };
typedef struct {
    MPI_Comm comm;
    unsigned generation;
    unsigned replaces; /* a bit for each operation for which a rule could hold there */
    void *communicator;
} Recent;
extern __thread Recent recent[RECENT] __attribute__((tls_model("initial-exec")));
extern unsigned generation; /* from 1 on: another one whenever a communicator ends */

static inline Recent *recent_place(MPI_Comm comm)
{
    const uintptr_t bits = (uintptr_t)comm;
    return &recent[(bits ^ bits >> 6 ^ bits >> 12) % RECENT];
}

/* Whether it is known already that no rule holds on this communicator. */
static inline bool left_alone(MPI_Comm comm, Operation operation)
{
    const Recent *known = recent_place(comm);
    return known->comm == comm &&
           known->generation == __atomic_load_n(&generation, __ATOMIC_ACQUIRE) &&
           !(known->replaces >> operation & 1);
}

/* True: done, and *code is what the wrapper returns. */
bool take_over(const Collective *call, int *code);

/* MPI_Init has ended; a communicator has come to be. What has to wait for other ranks is done here,
 * which a nonblocking operation could not. */
void started(void);
void created(MPI_Comm comm);

/* Another call that was left to the library. Several threads may lose a count: it is not worth a
 * locked instruction in each call. */
static inline void pass(int function)
{
    long *passed = &tallies[function].passed;
    __atomic_store_n(passed, __atomic_load_n(passed, __ATOMIC_RELAXED) + 1, __ATOMIC_RELAXED);
}

#endif
