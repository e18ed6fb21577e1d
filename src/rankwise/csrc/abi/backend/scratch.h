/* Memory for arrays that a call needs in another form: until it returns, or until its request ends.
 */
#ifndef SCRATCH_H
#define SCRATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "table.h"

typedef struct Block Block;

typedef struct {
    Block *blocks;
    size_t used; /* of `few` */
    char few[1024] __attribute__((aligned(16)));
} Scratch;

void scratch_end(Scratch *scratch);
#define SCRATCH_ENDS __attribute__((cleanup(scratch_end)))

/* Memory that lasts as long as the scratch; if `kept`, it can last longer (scratch_keep). */
void *scratch_take(Scratch *scratch, size_t bytes, bool kept);

/* What was taken to be kept stays until the request with this native handle has become null: one of
   a nonblocking operation when that has ended, a persistent one when it is freed. */
void scratch_keep(Scratch *scratch, uintptr_t request);

extern int kept_count;
void release_kept(uintptr_t request);

/* A handle that may have ended with the call, as the program is to see it. */
static inline ABI_Request from_completed(ABI_Request before, MPI_Request after)
{
    if (after != MPI_REQUEST_NULL)
        return from_Request(after);
    if (__atomic_load_n(&kept_count, __ATOMIC_RELAXED))
        release_kept(HANDLE_BITS(before));
    return ABI_REQUEST_NULL;
}

#endif
