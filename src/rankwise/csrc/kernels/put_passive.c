#include "one_sided.h"

#if MPI_VERSION >= 3
static void run(Cell *c)
{
    const OneSided *shared = c->state;
    if (begin_access(c, c->leads, !c->leads))
        MPI_Put(c->send, c->count, c->type, shared->target, receive_offset(c), c->count, c->type,
                shared->window);
    end_access(c, c->leads, !c->leads);
}
#endif

KERNEL(put_passive) = {
    .category = ONE_SIDED,
    .description = "put into the memory of a rank that computes meanwhile (flush and lock only)",
    .data = &put_data,
    .run = MPI3_ONLY(run),
    .setup = open_passive,
    .teardown = close_one_sided,
    .pairing = ENDS,
    .passive = true,
    .moves = 1,
    .min_ranks = 2,
    .whole = true,
    .unsupported = NEEDS_MPI3,
};
