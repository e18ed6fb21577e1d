/* The memories of a schedule in a call, and what is done to elements in them. */
#ifndef RANKWISE_ELEMENTS_H
#define RANKWISE_ELEMENTS_H

#include "call.h"
#include "pack.h"

enum { MEMORIES = SCRATCH_MEMORY + 1 };

typedef struct {
    Call call;
    char *memory[MEMORIES];
    MPI_Aint extent; /* bytes from one element to the next */
    int64_t bytes;   /* of an element, without gaps */
    bool gapless;    /* elements are bytes next to one another */
    void *scratch;   /* what memory[SCRATCH_MEMORY] is in */
    size_t scratch_bytes;
    void *packed; /* for copies of elements with gaps */
    size_t packed_bytes;
} Elements;

/* `scratch` in elements; `local`: something is copied or reduced. What an earlier call has left in
 * `e`, which is zero at first, is used again. */
int open_elements(Elements *e, const Call *call, int64_t scratch, bool local);
void close_elements(Elements *e);
void leave_scratch(Elements *e); /* a message may still read it */

int copy_elements(Elements *e, Place from, Place to, int64_t length);
int reduce_elements(const Elements *e, Place from, Place to, int64_t length); /* to: from op to */

/* As first_part. */
static inline int part_of(const Elements *e, int64_t elements)
{
    return first_part(elements, e->bytes);
}

static inline char *address(const Elements *e, Place place)
{
    return e->memory[place.memory] + place.offset * e->extent;
}

#endif
