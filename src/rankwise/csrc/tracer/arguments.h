/* What calls are called with, as C or as Fortran has it, in the numbers of a trace. */
#ifndef RANKWISE_TRACER_ARGUMENTS_H
#define RANKWISE_TRACER_ARGUMENTS_H

#include "tracer.h"

/* What a receive or a probe has met. */
typedef struct {
    MPI_Comm comm;
    int64_t source, tag, bytes;
} Match;

int64_t bytes_of(int64_t count, MPI_Datatype type);
/* By one of the statuses. */
Match matched_by(const Array *status, int64_t index);
MPI_Request request_at(const Array *array, int64_t index);

static inline int64_t our_rank(int rank)
{
    return rank == MPI_PROC_NULL ? NOBODY : rank == MPI_ANY_SOURCE ? ANY : rank;
}

static inline int64_t our_tag(int tag)
{
    return tag == MPI_ANY_TAG ? ANY : tag;
}

#endif
