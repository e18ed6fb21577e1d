/* A collective operation as the program called it. */
#ifndef RANKWISE_COLLECTIVE_H
#define RANKWISE_COLLECTIVE_H

#include "../schedules/algorithm.h"
#include <mpi.h>

/* The counts or displacements of a v-variant: ints, or 64 bits each in a `_c` variant. */
typedef struct {
    const void *array;
    bool wide;
} Numbers;

static inline int64_t number(Numbers numbers, int index)
{
    return numbers.wide ? ((const int64_t *)numbers.array)[index]
                        : ((const int *)numbers.array)[index];
}

/* What an operation does not have is zero; a
 * broadcast's buffer is both `send` and `recv`, a reduction's type and count are both as well. */
typedef struct {
    int function; /* in `tallies` */
    Operation operation;
    bool varies; /* a v-variant: the blocks' lengths differ */
    const void *send;
    void *recv;
    int64_t send_count, recv_count;
    Numbers send_counts, send_starts, recv_counts, recv_starts;
    MPI_Datatype send_type, recv_type;
    MPI_Op op;
    int root;
    MPI_Comm comm;
    MPI_Request *request; /* of a nonblocking operation */
} Collective;

#endif
