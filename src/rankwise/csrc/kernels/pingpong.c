#include "kernel.h"

static void send(Cell *c)
{
    MPI_Send(c->send, c->count, c->type, c->partner, TAG, c->comm);
}

static void run(Cell *c)
{
    pass_back_and_forth(c, send, receive_from_partner);
}

KERNEL(pingpong) = {
    .category = POINT_TO_POINT,
    .description = "half the round trip of a message between the first and the last rank",
    .data = &both_ways_data,
    .run = run,
    .pairing = ENDS,
    .timing = BY_FIRST_RANK,
    .batched = true,
    .messages_per_run = 2,
    .moves = 1,
    .min_ranks = 2,
};
