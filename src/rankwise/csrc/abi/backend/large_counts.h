/* Counts above INT_MAX, where a library takes an int: one element of a larger type. */
#ifndef LARGE_COUNTS_H
#define LARGE_COUNTS_H

#include <stdbool.h>

#include "table.h"

typedef struct {
    int count;
    bool made, failed;
    MPI_Datatype type;
} Counted;

Counted large_count(ABI_Count count, MPI_Datatype type);
void counted_end(Counted *counted);
#define COUNTED_ENDS __attribute__((cleanup(counted_end)))

static inline Counted counted(ABI_Count count, MPI_Datatype type)
{
    if (count == (int)count)
        return (Counted){.count = (int)count, .type = type};
    return large_count(count, type);
}

#endif
