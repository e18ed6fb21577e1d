/* Communicators with ranks in several sites, and where their messages are matched. */
#ifndef COMMUNICATORS_H
#define COMMUNICATORS_H

#include "../schedules/network.h"
#include "gateway.h"
#include "groups.h"

typedef struct Joined Joined;
typedef struct Topology Topology;

/* A context is a number that all ranks of a communicator agree on: messages may come before their
 * communicator is there. */
typedef struct Context Context;
struct Context {
    int number;
    Joined *joined; /* NULL: not there yet */
    struct Request *posted, *last;
    struct Unexpected *unexpected, *newest;
    int local_waits;
    Context *older, *next_in_bucket;
};

extern Context *contexts;        /* the newest of all */
Context *context_of(int number); /* made if need be; NULL: there are too many */
void free_context(Context *context);

/* Of an intercommunicator the remote group is the other one; else it is all ranks once more, so
 * that messages go to a rank of the remote group everywhere. */
struct Joined {
    MPI_Comm local; /* the ranks of this site, in the same order: the program's handle */
    MPI_Comm own;   /* all ranks once more, for messages of ours; of such a one it is itself */
    int number;
    Context *context;
    bool inter;         /* its `own` has both groups: first the one that is `first` */
    bool first;         /* this process's own group comes first */
    int rank, size;     /* in its own group */
    int *world_rank;    /* shape (size) */
    int remote_size;    /* the next four are of the remote group */
    int *remote_rank;   /* of the world; shape (remote_size) */
    int *to_local;      /* in `local`; shape (remote_size): -1 for a rank of another site */
    int *from_local;    /* shape (all of `local`): -1 for ranks of our own group alone */
    int local_size;     /* how many of them are in this site */
    Network *network;   /* NULL of an intercommunicator */
    Topology *topology; /* NULL: none */
    bool here;          /* all its ranks are in this site: it is the library's as well */
    bool mixed;         /* some are of another job */
    bool external;      /* data between some of its ranks are external32 */
    int tag_bound;      /* the least of all ranks' */
    long calls;         /* of collective operations: their messages are told apart by it */
    long uses;          /* the program's handle, and requests */
    Joined *next;       /* in its bucket */
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

/* A number that no process has given yet: whoever makes a communicator hears one that a certain of
 * its ranks gives, so that none has to be agreed on. 0: it has given too many. */
int new_number(void);

/* Where two jobs take part, all have to agree: on the largest of these, which is then taken. */
extern int next_mixed;
int take_mixed(int agreed);

/* Native communicators of the same ranks of this site: the program's handle, and one for messages
 * of ours: MPI_COMM_NULL, it is to be made, by all of them. */
typedef struct {
    MPI_Comm local, own;
} Halves;
#define HALF(comm) ((Halves){comm, MPI_COMM_NULL})
int split_own(MPI_Comm local, MPI_Comm *own);

/* They become what these ranks have in common, or, with another group, an intercommunicator
 * between them; context numbers `number` and the next. An error code. */
int join_ranks(Halves halves, int number, Members ranks);
int join_groups(Halves halves, int number, Members mine, Members theirs, bool mine_first);

/* Its site of each rank, numbered in the order in which they first come. NULL: no memory. */
Network *network_of(Members ranks);

/* Whether they are not all in one site. */
bool spans_sites(Members ranks);

/* Makes MPI_COMM_WORLD the whole job. An error code. */
int join_world(void);
void release_joined(Joined *joined);

/* Whether this rank of its remote group is that rank of the world. */
bool comes_from(const Joined *joined, int source, int world_rank);

/* What went wrong in a call on this communicator, for its error handler. Returns the code. */
int fail(const Joined *joined, int code);

/* Gives `to` the error handler of `from`, both native. */
void inherit_handler(MPI_Comm from, MPI_Comm to);

/* Whether it has ranks elsewhere. */
static inline bool crosses(MPI_Comm comm)
{
    const Joined *j = joined_of(comm);
    return j && !j->here;
}

/* A function that does not exist on such a communicator. */
int refuse_call(MPI_Comm comm, int function);

#endif
