#include "kernel.h"

static int right_of(const Cell *c)
{
    return (c->rank + 1) % c->ranks;
}

static int left_of(const Cell *c)
{
    return (c->rank - 1 + c->ranks) % c->ranks;
}

static void fill(Cell *c)
{
    fill_block(c, 0, right_of(c));
}

static void check(Cell *c)
{
    expect_block(c, 0, left_of(c), c->rank);
}

static const Data data = {ONE_BLOCK, ONE_BLOCK, fill, check};

static void run(Cell *c)
{
    MPI_Sendrecv(c->send, c->count, c->type, right_of(c), TAG, c->receive, c->count, c->type,
                 left_of(c), TAG, c->comm, MPI_STATUS_IGNORE);
}

KERNEL(sendrecv) = {
    .category = POINT_TO_POINT,
    .description = "round a ring: each rank sends to the next and receives from the one before",
    .data = &data,
    .run = run,
    .batched = true,
    .moves = 2,
    .min_ranks = 2,
};
