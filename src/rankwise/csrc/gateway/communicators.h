/* Communicators with ranks in several sites, and where their messages are matched. */
#ifndef COMMUNICATORS_H
#define COMMUNICATORS_H

#include "../schedules/network.h"
#include "gateway.h"

typedef struct Joined Joined;

/* A context is a number that all ranks of a communicator agree on: messages may come before their
 * communicator is there. */
typedef struct {
    Joined *joined; /* NULL: not there yet */
    struct Request *posted, *last;
    struct Unexpected *unexpected, *newest;
    int local_waits;
} Context;

extern Context **contexts; /* shape (context_count) */
extern int context_count;
Context *context_of(int number); /* made if need be; NULL: none can have this number */

struct Joined {
    MPI_Comm local; /* the ranks of this site, in the same order: the program's handle */
    MPI_Comm own;   /* all ranks once more, for messages of ours; of such a one it is itself */
    int number;
    Context *context;
    int rank, size, local_size;
    int *world_rank; /* shape (size) */
    int *to_local;   /* shape (size): -1 for a rank of another site */
    int *from_local; /* shape (local_size) */
    Network *network;
    long calls;   /* of collective operations: their messages are told apart by it */
    long uses;    /* the program's handle, and requests */
    Joined *next; /* in its bucket */
};

enum { BUCKETS = 256 };
extern Joined *buckets[BUCKETS];

/* NULL: all its ranks are in this site, or it is MPI_COMM_NULL. */
static inline Joined *joined_of(MPI_Comm comm)
{
    const uintptr_t bits = (uintptr_t)comm;
    Joined *j = buckets[(bits ^ bits >> 5 ^ bits >> 11) % BUCKETS];
    while (j && j->local != comm)
        j = j->next;
    return j;
}

extern int next_context; /* of a context that no communicator of this process has had */

/* `local` becomes what these ranks have in common; context numbers `number` and the next. An error
 * code. */
int join_ranks(MPI_Comm local, int number, const int *world_rank, int size);

/* Makes MPI_COMM_WORLD the whole job. An error code. */
int join_world(void);
void release_joined(Joined *joined);

/* What went wrong in a call on this communicator, for its error handler. Returns the code. */
int fail(const Joined *joined, int code);

/* A function that does not exist on such a communicator. */
int refuse_call(MPI_Comm comm, int function);

#endif
