#include "kernel.h"

static void send(Cell *c)
{
    MPI_Send(c->send, c->count, c->type, c->partner, TAG, c->comm);
}

static void run(Cell *c)
{
    pass_back_and_forth(c, send, receive_from_partner);
}

KERNEL(multi_pingpong) = {
    .category = POINT_TO_POINT,
    .description =
        "ping-pong of all pairs at once, between the lower half of the ranks and the upper",
    .data = &both_ways_data,
    .run = run,
    .pairing = HALVES,
    .batched = true,
    .messages_per_run = 2,
    .moves = 1,
    .min_ranks = 2,
};
