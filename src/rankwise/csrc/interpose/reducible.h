/* Which predefined operations the standard defines on which predefined types (MPI-4.1, 6.9.2). */
#ifndef RANKWISE_REDUCIBLE_H
#define RANKWISE_REDUCIBLE_H

#include <mpi.h>
#include <stdbool.h>

/* Whether a reduction with this operation can take elements of this type. What the program has made
 * takes whatever it takes. Without a call of the library, whose error handler would be called. */
bool is_reducible(MPI_Datatype type, MPI_Op op);

#endif
