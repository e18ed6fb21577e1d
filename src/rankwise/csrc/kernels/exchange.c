#include "kernel.h"

enum { LEFT, RIGHT, SIDES }; /* also added to TAG: which side the message was sent to */

static int neighbour(const Cell *c, int side)
{
    return (c->rank + (side == RIGHT ? 1 : c->ranks - 1)) % c->ranks;
}

static void fill(Cell *c)
{
    for (int side = 0; side < SIDES; side++)
        fill_block(c, side, neighbour(c, side));
}

static void check(Cell *c)
{
    for (int side = 0; side < SIDES; side++)
        expect_block(c, side, neighbour(c, side), c->rank);
}

static const Data data = {TWO_BLOCKS, TWO_BLOCKS, fill, check};

static void run(Cell *c)
{
    for (int side = 0; side < SIDES; side++)
        MPI_Isend(block_at(c, c->send, side), c->count, c->type, neighbour(c, side), TAG + side,
                  c->comm, &c->requests[side]);
    for (int side = 0; side < SIDES; side++)
        MPI_Recv(block_at(c, c->receive, side), c->count, c->type, neighbour(c, side),
                 TAG + (side == LEFT ? RIGHT : LEFT), c->comm, MPI_STATUS_IGNORE);
    finish(c, SIDES);
}

KERNEL(exchange) = {
    .category = POINT_TO_POINT,
    .description = "each rank sends to both neighbours in a ring and receives from both",
    .data = &data,
    .run = run,
    .batched = true,
    .moves = 4,
    .min_ranks = 2,
};
