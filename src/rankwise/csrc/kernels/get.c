#include "kernel.h"
#include "one_sided.h"

static void fill(Cell *c)
{
    if (c->active && !c->leads)
        fill_at(c, exposed_block(c), c->count, c->partner);
    sync_exposed(c);
}

static void check(Cell *c)
{
    sync_exposed(c);
    if (c->leads)
        expect_block(c, 0, c->partner, c->rank);
    else if (c->active) /* is read, and nothing else */
        expect_at(c, exposed_block(c), c->count, c->rank, c->partner);
}

static const Data data = {NO_BLOCK, ONE_BLOCK, fill, check};

#if MPI_VERSION >= 3
static void run(Cell *c)
{
    const OneSided *shared = c->state;
    if (!c->leads)
        return;
    MPI_Get(c->receive, c->count, c->type, c->partner, receive_offset(c), c->count, c->type,
            shared->window);
    MPI_Win_flush(c->partner, shared->window);
}
#endif

KERNEL(get) = {
    .category = ONE_SIDED,
    .description = "the first rank reads from the last rank's memory",
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
