/* Collective operations across sites, by the schedules of this project. */
#ifndef COLLECTIVES_H
#define COLLECTIVES_H

#include "../interpose/collective.h"
#include "communicators.h"

/* Carries it out, or begins it if it has a request. `tags`: a persistent operation's; NULL: the
 * next call's. An error code. */
int collective(Joined *joined, const Collective *call, CallTags *tags);

/* Some of a communicator's ranks, which do it among themselves. */
typedef struct {
    Joined *joined;
    int rank, ranks;
    const int *place; /* of each in joined->own; NULL: as they are numbered */
    Network *network;
    CallTags *call_tags;
    int first_tag, tag_count; /* of these, what is for this part of the call */
} Party;

/* The same; the error is not told to the communicator's handler. */
int collective_among(const Party *party, const Collective *call);

/* Of an intercommunicator: between_groups.c. */
int between_groups(Joined *joined, const Collective *call, CallTags *tags);

/* Whether this process is the one that a rooted operation is about. */
static inline bool is_root(const Joined *joined, int root)
{
    return joined->inter ? root == MPI_ROOT : root == joined->rank;
}

#endif
