/* A status: three public fields, and one number for what the rest says.

   Libraries keep the bytes that came and whether the request was cancelled in fields of their own.
   Between the two sides they travel as one number of 64 bits, so that any front end can keep any
   backend's statuses. */
#ifndef STATUSES_H
#define STATUSES_H

#include <stdint.h>
#include <string.h>

#include "failures.h"
#include "table.h"

typedef struct {
    uint64_t bytes;
    int cancelled;
} Came;

#if defined(OPEN_MPI)
static inline Came came_of(const MPI_Status *s)
{
    return (Came){s->_ucount, s->_cancelled};
}
static inline void set_came(MPI_Status *s, Came came)
{
    s->_ucount = came.bytes;
    s->_cancelled = came.cancelled;
}
#elif defined(LAM_MPI)
static inline Came came_of(const MPI_Status *s)
{
    return (Came){(uint64_t)s->st_length, s->MPI_SOURCE == MPI_CANCEL_SOURCE};
}
static inline void set_came(MPI_Status *s, Came came)
{
    s->st_length = (int)came.bytes;
    if (came.cancelled)
        s->MPI_SOURCE = MPI_CANCEL_SOURCE;
}
#else /* MPICH and what descends from it */
static inline Came came_of(const MPI_Status *s)
{
    const uint64_t high = (uint32_t)s->count_hi_and_cancelled;
    return (Came){(uint32_t)s->count_lo | high >> 1 << 32, (int)(high & 1)};
}
static inline void set_came(MPI_Status *s, Came came)
{
    s->count_lo = (int)came.bytes;
    s->count_hi_and_cancelled = (int)(came.bytes >> 32 << 1 | (came.cancelled ? 1 : 0));
}
#endif

static inline void from_status(const MPI_Status *native, ABI_Status *status)
{
    const Came came = came_of(native);
    const uint64_t word = came.bytes << 1 | (came.cancelled ? 1 : 0);
    status->MPI_SOURCE = from_rank(native->MPI_SOURCE);
    status->MPI_TAG = from_tag(native->MPI_TAG);
    memcpy(status->ABI_internal, &word, sizeof word);
}

static inline void to_status(const ABI_Status *status, MPI_Status *native)
{
    uint64_t word;
    memcpy(&word, status->ABI_internal, sizeof word);
    native->MPI_SOURCE = to_rank(status->MPI_SOURCE);
    native->MPI_TAG = to_tag(status->MPI_TAG);
    set_came(native, (Came){word >> 1, (int)(word & 1)});
}

/* What a call is given (status_in) and what it tells (status_out). A call that is about one request
   leaves the field for the error alone, but in the empty status, which has none. */
#ifdef MIRROR
static inline void status_in(const MPI_Status *native, ABI_Status *status)
{
    memset(status, 0, sizeof *status);
    from_status(native, status);
    status->MPI_ERROR = from_error(native->MPI_ERROR);
}
static inline void status_out(const ABI_Status *status, MPI_Status *native)
{
    to_status(status, native);
    if (native->MPI_SOURCE == MPI_ANY_SOURCE && native->MPI_TAG == MPI_ANY_TAG)
        native->MPI_ERROR = MPI_SUCCESS;
}
static inline void status_out_of(int code, const ABI_Status *status, MPI_Status *native)
{
    to_status(status, native);
    native->MPI_ERROR = code ? to_error(status->MPI_ERROR) : MPI_SUCCESS;
}
#else
static inline void status_in(const ABI_Status *status, MPI_Status *native)
{
    memset(native, 0, sizeof *native);
    to_status(status, native);
    native->MPI_ERROR = to_error(status->MPI_ERROR);
}
static inline void status_out(const MPI_Status *native, ABI_Status *status)
{
    from_status(native, status);
    if (status->MPI_SOURCE == ABI_ANY_SOURCE && status->MPI_TAG == ABI_ANY_TAG)
        status->MPI_ERROR = ABI_SUCCESS;
}
/* One of several: its own error counts where the call says that there was any. */
static inline void status_out_of(int code, const MPI_Status *native, ABI_Status *status)
{
    from_status(native, status);
    status->MPI_ERROR = code ? from_error(native->MPI_ERROR) : ABI_SUCCESS;
}
#endif

#endif
