/* A status: three public fields, and one number for what the rest says, as in backends. */
#ifndef GATEWAY_STATUSES_H
#define GATEWAY_STATUSES_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static inline void set_status(MPI_Status *status, int source, int tag, uint64_t bytes,
                              bool cancelled)
{
    const uint64_t word = bytes << 1 | (cancelled ? 1 : 0);
    if (status == MPI_STATUS_IGNORE)
        return;
    status->MPI_SOURCE = source;
    status->MPI_TAG = tag;
    memcpy(status->MPI_internal, &word, sizeof word);
}

static inline void set_empty(MPI_Status *status)
{
    set_status(status, MPI_ANY_SOURCE, MPI_ANY_TAG, 0, false);
    if (status != MPI_STATUS_IGNORE)
        status->MPI_ERROR = MPI_SUCCESS;
}

static inline uint64_t word_of(const MPI_Status *status)
{
    uint64_t word;
    memcpy(&word, status->MPI_internal, sizeof word);
    return word;
}

static inline uint64_t bytes_that_came(const MPI_Status *status)
{
    return word_of(status) >> 1;
}

static inline bool was_cancelled(const MPI_Status *status)
{
    return word_of(status) & 1;
}

#endif
