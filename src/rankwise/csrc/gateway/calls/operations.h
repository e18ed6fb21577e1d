/* What a library of MPI-1 cannot tell of an operation, nor do with it by itself. */
#ifndef OPERATIONS_H
#define OPERATIONS_H

/* Looks whether the library has MPI_Reduce_local; once, after MPI_Init. */
void look_for_reductions(void);

#endif
