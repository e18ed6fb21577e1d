/* What we keep of a communicator of the program, as an attribute of it. */
#ifndef RANKWISE_COMMUNICATOR_H
#define RANKWISE_COMMUNICATOR_H

#include "../execution/execution.h"
#include "table.h"

enum { KEPT_SCHEDULES = 16 };

/* A schedule with all that it was made from. */
typedef struct {
    const Rule *rule; /* NULL: none is kept here */
    int64_t count;
    int root;
    bool commutative;
    int64_t element_bytes;
    int users; /* nonblocking operations under way */
    Schedule schedule;
    Execution *memory;
} KeptSchedule;

typedef struct {
    bool passes; /* an intercommunicator, or the library refused us a communicator of our own */
    unsigned replaces; /* a bit for each operation for which a rule could hold here */
    int rank, ranks;
    MPI_Comm own; /* the same ranks, for our messages; MPI_COMM_NULL until it is needed */
    Network *network;
    long calls; /* those that sent messages of ours */
    int64_t tag_bound;
    KeptSchedule kept[KEPT_SCHEDULES];
    int next_kept;
} Communicator;

/* Whether communicators can be told apart from now on. Once, after MPI_Init. */
bool prepare_communicators(void);

/* What we keep of `comm`; NULL if there is nothing and nothing can be kept. All ranks of `comm`
 * are in the same blocking call, or `may_wait` is false: then it has to be there already. */
Communicator *communicator_of(MPI_Comm comm, bool may_wait);

/* Makes sure of communicator->own: collective over `comm`. False: the library has none left. */
bool own_messages(Communicator *communicator, MPI_Comm comm);

/* How many tags each call has of its own, and the first of those of the next call. */
int tags_of_call(const Communicator *communicator);
int first_tag_of_call(Communicator *communicator);

/* The schedule that `rule` makes for this problem, kept for the next time if its blocks are equal;
 * else it is made in `fresh`, which must be zero and stay alive. NULL: there is none. */
const Schedule *schedule_of(Communicator *communicator, const Rule *rule, const Problem *problem,
                            Schedule *fresh, KeptSchedule **kept);

#endif
