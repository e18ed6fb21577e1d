/* Communicators with ranks in several sites. */
#ifndef COMMUNICATORS_H
#define COMMUNICATORS_H

#include "../schedules/network.h"
#include "call_tags.h"
#include "contexts.h"
#include "gateway.h"
#include "groups.h"

typedef struct Topology Topology;
typedef struct Joined Joined;

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
    struct KeptSchedules *schedules; /* NULL: there was none yet */
    bool here;             /* all its ranks are in this site: it is the library's as well */
    bool mixed;            /* some are of another job */
    bool external;         /* data between some of its ranks are external32 */
    TagsInUse tags_in_use; /* of collective operations; its bound is the least of all ranks' */
    int copies;            /* by MPI_Comm_idup that are under way */
    long uses;             /* the program's handle, and requests */
    Joined *next;          /* in its bucket */
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

/* As MPI_Comm_free. */
int free_communicator(MPI_Comm *comm);

/* As MPI_Comm_group. */
int get_group(MPI_Comm comm, MPI_Group *group);

/* Whether this rank of its remote group is that rank of the world. */
bool comes_from(const Joined *joined, int source, int world_rank);

/* A communicator is there now: messages may have come before it. */
extern void (*when_joined)(const Context *context);

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

/* One that may come before MPI_Init, when no handler can be called: all but MPI_ERRORS_RETURN end
 * the job. */
int refuse_to_begin(MPI_Errhandler handler, int function);

#endif
