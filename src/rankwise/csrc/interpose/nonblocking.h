/* Nonblocking operations: generalized requests, and a turn whenever the library makes progress.
 *
 * Calls of a communicator share CALLS_APART places, each with tags of its own. One whose place is
 * taken waits until the call that has it has ended on this rank. All ranks count the same calls,
 * and messages between two ranks do not overtake one another: so both find each other's calls in
 * the same order, and what waits is never waited for by what it waits for. */
#ifndef RANKWISE_NONBLOCKING_H
#define RANKWISE_NONBLOCKING_H

#include "carrying_out.h"
#include "communicator.h"

/* Begins what is prepared and makes *request its handle. Takes it over. `place`: the call's.
 * Returns an MPI error code; on an error all of it is freed. */
int begin_operation(Communicator *communicator, int place, Carried *carried, MPI_Request *request);

/* Goes on with what is under way until the place is free: a blocking call is about to take it. */
void await_place(Communicator *communicator, int place);

/* As MPI_Waitall, for MPICH, which from 5 on ends in an assertion where generalized requests are
 * waited for beside MPI_REQUEST_NULL. */
int wait_for_all(int count, MPI_Request requests[], MPI_Status statuses[]);

#endif
