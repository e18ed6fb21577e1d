#include "kernel.h"

static void send(Cell *c)
{
    MPI_Send(c->send, c->count, c->type, c->partner, TAG, c->comm);
}

static void receive(Cell *c)
{
    MPI_Recv(c->receive, c->count, c->type, MPI_ANY_SOURCE, MPI_ANY_TAG, c->comm,
             MPI_STATUS_IGNORE);
}

static void run(Cell *c)
{
    pass_back_and_forth(c, send, receive);
}

KERNEL(pingpong_any_source) = {
    .category = POINT_TO_POINT,
    .description = "ping-pong whose receives take a message with any tag from any rank",
    .data = &both_ways_data,
    .run = run,
    .pairing = ENDS,
    .timing = BY_FIRST_RANK,
    .batched = true,
    .messages_per_run = 2,
    .moves = 1,
    .min_ranks = 2,
};
