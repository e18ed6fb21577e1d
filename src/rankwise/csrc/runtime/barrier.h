/* Our own barrier, so that the library's MPI_Barrier decides nothing: a dissemination barrier (D.
 * Hensgen, R. Finkel and U. Manber, 1988) that carries the maximum of a few values. After the last
 * round every rank has the maximum over all ranks. Where the ranks are a power of two, they
 * exchange in pairs (recursive doubling): so ranks of two sites, half on each, cross the link
 * between them in one round, not in two. */
#ifndef RANKWISE_RUNTIME_BARRIER_H
#define RANKWISE_RUNTIME_BARRIER_H

#include <mpi.h>

enum { RW_MAXIMUM_VALUES = 5 };

typedef struct {
    MPI_Comm comm;
    int rank, ranks;
} RwBarrier;

/* The communicator is the caller's, must stay until the last use, and carries nothing else with the
 * tags from 31 to 41 meanwhile. */
int rw_barrier_open(RwBarrier *barrier, MPI_Comm comm);
int rw_barrier_wait(const RwBarrier *barrier);
/* Also a barrier; at most RW_MAXIMUM_VALUES values. */
int rw_barrier_maximum(const RwBarrier *barrier, double *values, int count);

#endif
