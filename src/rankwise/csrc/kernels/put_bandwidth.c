#include "one_sided.h"

#if MPI_VERSION >= 3
static void run(Cell *c)
{
    const OneSided *shared = c->state;
    const bool accesses = begin_access(c, c->leads, !c->leads);
    for (int i = 0; accesses && i < c->window; i++)
        MPI_Put(block_at(c, c->send, c->verifies ? i : 0), c->count, c->type, shared->target,
                offset_of(c, i), c->count, c->type, shared->window);
    end_access(c, c->leads, !c->leads);
}
#endif

KERNEL(put_bandwidth) = {
    .category = ONE_SIDED,
    .description = "a window of blocks from the first rank into the last rank's memory",
    .data = &put_window_data,
    .run = MPI3_ONLY(run),
    .setup = open_one_sided,
    .teardown = close_one_sided,
    .pairing = ENDS,
    .timing = BY_FIRST_RANK,
    .batched = true,
    .windowed = true,
    .moves = 1,
    .min_ranks = 2,
    .whole = true,
    .unsupported = NEEDS_MPI3,
};
