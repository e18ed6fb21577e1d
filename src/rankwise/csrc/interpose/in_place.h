/* An MPI-1 library has no MPI_IN_PLACE: then it is an address that no program has. */
#ifndef RANKWISE_IN_PLACE_H
#define RANKWISE_IN_PLACE_H

#include <mpi.h>

#ifndef MPI_IN_PLACE
#define MPI_IN_PLACE ((void *)-1)
#endif

#endif
