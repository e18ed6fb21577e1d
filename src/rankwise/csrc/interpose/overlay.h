/* Stands between a program and its MPI: collective operations for which the decision table names
 * an algorithm are carried out by that algorithm's schedule, everything else is the library's own.
 *
 * Each function that is taken over has a wrapper, written by artifacts/overlay.py from the
 * declarations in the library's mpi.h. A wrapper fills in a Collective and asks take_over; where
 * that declines, it calls the library. All calls of ours are PMPI_. */
#ifndef RANKWISE_OVERLAY_H
#define RANKWISE_OVERLAY_H

#include "collective.h"
#include "passing.h"

/* True: done, and *code is what the wrapper returns. */
bool take_over(const Collective *call, int *code);

/* MPI_Init has ended; a communicator has come to be. What has to wait for other ranks is done here,
 * which a nonblocking operation could not. */
void started(void);
void created(MPI_Comm comm);

#endif
