/* Where the site's library waits by itself. MPI lets what is under way go on meanwhile, and of that
 * the library knows only its own part.
 *
 * Generated wrappers stand in `below` for each function in which a library may wait. While
 * something is under way across sites a message is begun by the nonblocking twin, and turns are
 * taken until it has ended. In all others the library calls a turn of ours whenever it makes
 * progress, if it has a hook for that.
 *
 * Without one, all ranks of a communicator meet first, by turns, where all of them call: so none
 * waits there for one that is still elsewhere. (That one of them has something under way the others
 * do not know, so the nonblocking twin is no way out.) And a thread of ours sees to messages
 * between sites meanwhile. Where threads may call at once, it takes whole turns in any wait, as
 * another thread may begin something at any time. */
#ifndef WAITING_H
#define WAITING_H

#include "entry.h"
#include "gateway.h"

/* Whether turns are to be taken instead. */
bool takes_turns(void);

/* By turns, until the library's request has ended. An error code. */
int end_by_turns(MPI_Request *request, MPI_Status *status);

/* Of the backend; NULL: it has none. */
extern Hook *library_hook;

/* Whether all ranks are to meet before they call the same function. Where threads may call at once
 * one of ours takes turns in any wait; only what makes communicators keeps the library from it. */
bool ranks_meet(bool makes_communicators);

/* All ranks of this native communicator, by turns. An error code. */
int meet_in_site(MPI_Comm comm);

/* Around a call in which the library waits; this thread's turn is given away meanwhile. */
typedef struct {
    int depth; /* of the turn */
    bool seen_to;
} Waits;
Waits begin_wait(void);
void end_wait(Waits waits);

/* The library's functions as they are, without that. */
extern AbiTable library;

#endif
