/* What is known before a call is looked at: most are left to the library within two nanoseconds. */
#ifndef RANKWISE_PASSING_H
#define RANKWISE_PASSING_H

#include "../schedules/algorithm.h"
#include <mpi.h>

#pragma GCC visibility push(hidden) /* not looked up in a table of the linker's at each use */

/* What became of the calls of one wrapped function. */
typedef struct {
    const char *name;
    long replaced, passed;
} Tally;
enum { MOST_FUNCTIONS = 192 };
extern Tally tallies[MOST_FUNCTIONS];
extern int tally_count;

/* The wrapped functions, as calls number them: once. */
void name_functions(const char *const names[], int count);

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

#pragma GCC visibility pop

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

/* Another call that was left to the library. Several threads may lose a count: it is not worth a
 * locked instruction in each call. */
static inline void pass(int function)
{
    long *passed = &tallies[function].passed;
    __atomic_store_n(passed, __atomic_load_n(passed, __ATOMIC_RELAXED) + 1, __ATOMIC_RELAXED);
}

#endif
