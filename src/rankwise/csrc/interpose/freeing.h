/* The functions that really free: the gateway's are those of the site's MPI. */
#ifndef RANKWISE_FREEING_H
#define RANKWISE_FREEING_H

#include <mpi.h>

int really_free_type(MPI_Datatype *type);
int really_free_op(MPI_Op *op);

#endif
