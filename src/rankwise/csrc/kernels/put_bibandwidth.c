#include "one_sided.h"

#if MPI_VERSION >= 3
static void run(Cell *c)
{
    const OneSided *shared = c->state;
    const bool accesses = begin_access(c, true, true);
    for (int i = 0; accesses && i < c->window; i++)
        MPI_Put(block_at(c, c->send, c->verifies ? i : 0), c->count, c->type, shared->target,
                offset_of(c, i), c->count, c->type, shared->window);
    end_access(c, true, true);
}
#endif

KERNEL(put_bibandwidth) = {
    .category = ONE_SIDED,
    .description =
        "windows of blocks between the first rank's memory and the last rank's, both ways at once",
    .data = &put_window_data,
    .run = MPI3_ONLY(run),
    .setup = open_one_sided,
    .teardown = close_one_sided,
    .pairing = ENDS,
    .timing = BY_FIRST_RANK,
    .batched = true,
    .windowed = true,
    .moves = 2,
    .min_ranks = 2,
    .whole = true,
    .unsupported = NEEDS_MPI3,
};
