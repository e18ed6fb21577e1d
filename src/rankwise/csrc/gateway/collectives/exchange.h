/* Collective operations of which each rank knows its own part alone: its blocks go to some ranks,
 * and come from some, each in a message of its own. */
#ifndef EXCHANGE_H
#define EXCHANGE_H

#include "../interpose/collective.h"
#include "communicators.h"

typedef enum { ALL_RANKS, NEIGHBOURS } Partners;

/* Where the blocks are. Without counts all have `count` elements; without starts they follow one
 * another, unless it is the same one for all; starts are in elements of `type`, or, where each has
 * a type of its own, in bytes. */
typedef struct {
    char *buffer;
    bool same;
    MPI_Count count;
    Numbers counts, starts;
    MPI_Datatype type;
    const MPI_Datatype *types;
} Side;

typedef struct {
    char *start;
    MPI_Count count;
    MPI_Datatype type;
} Block;
Block block_of(const Side *side, int number);

/* How many blocks go out or come in. */
int blocks_out(const Joined *joined, Partners partners);
int blocks_in(const Joined *joined, Partners partners);

/* Carries it out, or begins it if there is a request. `tags`: a persistent operation's; NULL: the
 * next call's. An error code. Of an intercommunicator all ranks are those of the other group, and
 * nothing goes out, or comes in, without a side. */
int exchange(Joined *joined, Partners partners, const Side *out, const Side *in,
             MPI_Request *request, CallTags *tags);

/* The same with this rank of all alone: one block each way. */
int exchange_with(Joined *joined, int rank, const Side *out, const Side *in, MPI_Request *request,
                  CallTags *tags);

#endif
