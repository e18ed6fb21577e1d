#include "kernel.h"

static void send(Cell *c)
{
    MPI_Ssend(c->send, c->count, c->type, c->partner, TAG, c->comm);
}

static void run(Cell *c)
{
    pass_back_and_forth(c, send, receive_from_partner);
}

KERNEL(pingpong_synchronous) = {
    .category = POINT_TO_POINT,
    .description = "ping-pong by MPI_Ssend, which returns once the message is being received",
    .data = &both_ways_data,
    .run = run,
    .pairing = ENDS,
    .timing = BY_FIRST_RANK,
    .batched = true,
    .messages_per_run = 2,
    .moves = 1,
    .min_ranks = 2,
};
