/* What we keep of a communicator of the program, as an attribute of it. */
#ifndef RANKWISE_COMMUNICATOR_H
#define RANKWISE_COMMUNICATOR_H

#include "kept_schedules.h"

enum { CALLS_APART = 64 }; /* so many calls of one communicator have tags of their own */

typedef struct Pending Pending; /* nonblocking.c */

typedef struct {
    long holders; /* the program's handle, and operations under way */
    bool passes;  /* an intercommunicator, or the library refused us a communicator of our own */
    unsigned replaces; /* a bit for each operation for which a rule could hold here */
    int rank, ranks;
    MPI_Comm own; /* the same ranks, for our messages; MPI_COMM_NULL until it is needed */
    Network *network;
    long calls;                   /* those that sent messages of ours */
    Pending *newest[CALLS_APART]; /* the last call under way with this place */
    int64_t tag_bound;
    KeptSchedules schedules;
} Communicator;

/* Whether communicators can be told apart from now on. Once, after MPI_Init. */
bool prepare_communicators(void);

/* What we keep of `comm`; NULL if there is nothing and nothing can be kept. All ranks of `comm`
 * are in the same blocking call, or `may_wait` is false: then it has to be there already. */
Communicator *communicator_of(MPI_Comm comm, bool may_wait);

/* Makes sure of communicator->own: collective over `comm`. False: the library has none left. */
bool own_messages(Communicator *communicator, MPI_Comm comm);

/* It goes when nobody holds it any more, and `own` with it. */
void hold_communicator(Communicator *communicator);
void release_communicator(Communicator *communicator);

/* How many tags each call has of its own, and which place among the calls the next one has: its
 * tags begin at place * tags_of_call. */
int tags_of_call(const Communicator *communicator);
int place_of_next_call(Communicator *communicator);

#endif
