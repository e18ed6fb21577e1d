/* What messages need to know of a datatype. */
#ifndef TYPES_H
#define TYPES_H

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

#endif
