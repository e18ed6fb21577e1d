#include "kernel.h"
#include "one_sided.h"
#include <string.h>

static void fill(Cell *c)
{
    if (c->leads)
        fill_block(c, 0, c->partner);
    memcpy(exposed_block(c), c->receive, c->receive_bytes + GUARD_BYTES);
    sync_exposed(c);
}

static void check(Cell *c)
{
    sync_exposed(c);
    if (c->active && !c->leads)
        expect_at(c, exposed_block(c), c->count, c->partner, c->rank);
    expect_untouched(c, exposed_block(c), c->receive_bytes + GUARD_BYTES);
}

static const Data data = {ONE_BLOCK, ONE_BLOCK, fill, check};

#if MPI_VERSION >= 3
static void run(Cell *c)
{
    const OneSided *shared = c->state;
    if (!c->leads)
        return;
    MPI_Put(c->send, c->count, c->type, c->partner, receive_offset(c), c->count, c->type,
            shared->window);
    MPI_Win_flush(c->partner, shared->window);
}
#endif

KERNEL(put) = {
    .category = ONE_SIDED,
    .description = "the first rank writes into the last rank's memory, until it is there",
    .data = &data,
    .run = MPI3_ONLY(run),
    .setup = open_one_sided,
    .teardown = close_one_sided,
    .pairing = ENDS,
    .timing = BY_FIRST_RANK,
    .batched = true,
    .moves = 1,
    .min_ranks = 2,
    .unsupported = NEEDS_MPI3,
};
