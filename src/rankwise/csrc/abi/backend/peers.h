/* How long the arrays are that have an element for each rank. */
#ifndef PEERS_H
#define PEERS_H

#include <stdbool.h>

#include "table.h"

/* Ranks of the group that the caller is in. */
long own_size(MPI_Comm comm);

/* Ranks that a collective operation exchanges data with: of an intercommunicator those of the other
 * group. */
long peers(MPI_Comm comm);

/* Neighbours in the communicator's topology: those that send to the caller if `receiving`. */
long neighbours(MPI_Comm comm, bool receiving);

/* Whether the caller is `root` (a value of the standard's), so that arrays of a rooted operation
 * count. */
bool is_root(int root, MPI_Comm comm);

#endif
