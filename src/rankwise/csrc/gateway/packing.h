/* A message's data as bytes. What one library packs another one unpacks, where both processes
 * represent data alike; otherwise it is external32 meanwhile (external32.h). */
#ifndef PACKING_H
#define PACKING_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct {
    int64_t bytes; /* of an element; -1: this is no type */
    bool plain;    /* elements are their bytes, one after another */
} TypeFacts;

TypeFacts facts_of(MPI_Datatype type);

enum { PREDEFINED = 1024 }; /* handles below this are the standard's */
static inline bool is_predefined_type(MPI_Datatype type)
{
    return (uintptr_t)type < PREDEFINED;
}

/* These return an error code. `packed` is to be freed. */
int pack(const void *buffer, MPI_Count count, MPI_Datatype type, uint64_t bytes, bool external,
         char **packed);

/* Of a message that is longer than the receive only what fits. */
int unpack(const char *packed, uint64_t bytes, void *buffer, MPI_Count count, MPI_Datatype type);

/* The same type for as long as a request needs it, even if the program frees its own. */
int keep_type(MPI_Datatype *type, bool *kept);

#endif
