/* A ring whose messages leave and arrive in one buffer. */
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
    fill_at(c, c->receive, c->count, right_of(c));
}

static void check(Cell *c)
{
    expect_block(c, 0, left_of(c), c->rank);
}

static const Data data = {NO_BLOCK, ONE_BLOCK, fill, check};

static void run(Cell *c)
{
    MPI_Sendrecv_replace(c->receive, c->count, c->type, right_of(c), TAG, left_of(c), TAG, c->comm,
                         MPI_STATUS_IGNORE);
}

KERNEL(sendrecv_replace) = {
    .category = POINT_TO_POINT,
    .description = "sendrecv round a ring, out of the buffer that it receives into",
    .data = &data,
    .run = run,
    .batched = true,
    .moves = 2,
    .min_ranks = 2,
};
