/* A message's data as bytes. What one library packs another one unpacks, where both processes
 * represent data alike; otherwise it is external32 meanwhile (external32.h). */
#ifndef PACKING_H
#define PACKING_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

/* These return an error code. `packed` is to be freed. */
int pack(const void *buffer, MPI_Count count, MPI_Datatype type, uint64_t bytes, bool external,
         char **packed);

/* Of a message that is longer than the receive only what fits. */
int unpack(const char *packed, uint64_t bytes, void *buffer, MPI_Count count, MPI_Datatype type);

#endif
