#include "kernel.h"

#include <string.h>

static void fill(Cell *c)
{
    if (c->active)
        fill_block(c, 0, c->rank);
}

static void check(Cell *c)
{
    if (c->active)
        expect_block(c, 0, c->rank, c->rank);
}

static const Data data = {ONE_BLOCK, ONE_BLOCK, fill, check};

static void run(Cell *c)
{
    memcpy(c->receive, c->send, c->payload_bytes);
}

KERNEL(memcpy) = {
    .category = BASELINE,
    .description = "a copy in the memory of the first rank, without MPI",
    .data = &data,
    .run = run,
    .pairing = FIRST_ALONE,
    .timing = BY_FIRST_RANK,
    .batched = true,
    .moves = 1,
    .plain_data = true,
};
