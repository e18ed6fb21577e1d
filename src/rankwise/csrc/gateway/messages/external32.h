/* external32, the standard's representation for data that leave their machine: big-endian, IEEE.
 * MPI_LONG, MPI_UNSIGNED_LONG and MPI_WCHAR are as long here as on hosts of 64 bits: 8, 8 and 4
 * bytes instead of the standard's 4, 4 and 2, so that no value is cut off, and packed data take as
 * many bytes as before. It is our own since MPI_Pack_external cuts off longs, is of no use for long
 * double in most implementations, ends the process for MPI_WCHAR in some, and is missing in
 * LAM/MPI. */
#ifndef EXTERNAL32_H
#define EXTERNAL32_H

#include <mpi.h>
#include <stdint.h>

/* Packed data of this type, in place; what is less than a basic element at the end stays as it is.
 * An error code. */
int to_external(char *packed, uint64_t bytes, MPI_Datatype type);
int from_external(char *packed, uint64_t bytes, MPI_Datatype type);

#endif
