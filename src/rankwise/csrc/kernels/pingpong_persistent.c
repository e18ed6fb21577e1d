#include "kernel.h"

enum { SENDING, RECEIVING, REQUESTS };

static int prepare(Cell *c)
{
    MPI_Send_init(c->send, c->count, c->type, c->partner, TAG, c->comm, &c->requests[SENDING]);
    MPI_Recv_init(c->receive, c->count, c->type, c->partner, TAG, c->comm, &c->requests[RECEIVING]);
    return REQUESTS;
}

static void send(Cell *c)
{
    complete_prepared(c, SENDING);
}

static void receive(Cell *c)
{
    complete_prepared(c, RECEIVING);
}

static void run(Cell *c)
{
    pass_back_and_forth(c, send, receive);
}

KERNEL(pingpong_persistent) = {
    .category = POINT_TO_POINT,
    .description = "ping-pong by requests that are made once",
    .data = &both_ways_data,
    .prepare = prepare,
    .run = run,
    .pairing = ENDS,
    .timing = BY_FIRST_RANK,
    .batched = true,
    .messages_per_run = 2,
    .moves = 1,
    .min_ranks = 2,
};
