/* The reduction of two vectors on one rank. */
#ifndef RANKWISE_LOCAL_REDUCTION_H
#define RANKWISE_LOCAL_REDUCTION_H

#include <mpi.h>

/* `to` becomes `from` op `to`: MPI_Reduce_local, or what stands for it where the library has none.
 */
int reduce_local(const void *from, void *to, int count, MPI_Datatype type, MPI_Op op);

#endif
