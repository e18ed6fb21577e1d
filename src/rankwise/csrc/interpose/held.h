/* Handles of the program that operations under way still need. The standard lets a program free
 * them as soon as its call has returned; they are really freed when the last holder has let go. */
#ifndef RANKWISE_HELD_H
#define RANKWISE_HELD_H

#include <mpi.h>

/* Counted: a release for each hold. An error code. Predefined handles may be held as well. */
int hold_type(MPI_Datatype type);
int hold_op(MPI_Op op);
void release_type(MPI_Datatype type);
void release_op(MPI_Op op);

/* In place of MPI_Type_free and MPI_Op_free. */
int free_type(MPI_Datatype *type);
int free_op(MPI_Op *op);

#endif
