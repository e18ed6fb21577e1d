/* Elements as packed bytes, on one process. */
#ifndef RANKWISE_PACK_H
#define RANKWISE_PACK_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

/* More bytes are moved, packed or reduced by several calls of MPI: their counts are ints, and so
 * are some lengths within. Tests have another limit. */
#ifndef LONGEST_BYTES
#define LONGEST_BYTES (1 << 30)
#endif

/* How many of so many elements, of so many bytes each, are for the next call: at least one. */
static inline int first_part(int64_t elements, int64_t element_bytes)
{
    const int64_t most =
        element_bytes < LONGEST_BYTES ? LONGEST_BYTES / (element_bytes + !element_bytes) : 1;
    return (int)(elements < most ? elements : most);
}

/* Size in bytes of an element, -1 if the library refuses to say. */
int64_t bytes_of(MPI_Datatype type);

/* So many elements of `type`, of `element_bytes` bytes each, to packed bytes or `back`; they may be
 * at MPI_BOTTOM. An MPI error code. */
int move_elements(char *there, int64_t count, MPI_Datatype type, int64_t element_bytes,
                  char *packed, bool back);

#endif
