/* A ping-pong whose messages the library finds at the end of a queue of receives. */
#include "kernel.h"

enum { OTHER_TAG = TAG + 1 };

/* Receives that nothing matches until the end, in front of those of the messages. */
static void setup(Cell *c)
{
    for (int i = 0; c->active && i < c->window; i++)
        MPI_Irecv(NULL, 0, MPI_BYTE, MPI_ANY_SOURCE, OTHER_TAG, c->comm, &c->requests[i]);
}

static void teardown(Cell *c)
{
    for (int i = 0; c->active && i < c->window; i++)
        MPI_Send(NULL, 0, MPI_BYTE, c->partner, OTHER_TAG, c->comm);
    if (c->active)
        finish(c, c->window);
}

static void send(Cell *c)
{
    MPI_Send(c->send, c->count, c->type, c->partner, TAG, c->comm);
}

static void receive(Cell *c)
{
    MPI_Recv(c->receive, c->count, c->type, MPI_ANY_SOURCE, TAG, c->comm, MPI_STATUS_IGNORE);
}

static void run(Cell *c)
{
    pass_back_and_forth(c, send, receive);
}

KERNEL(pingpong_deep_queue) = {
    .category = POINT_TO_POINT,
    .description = "ping-pong from any rank behind a window of posted receives with another tag",
    .data = &both_ways_data,
    .run = run,
    .setup = setup,
    .teardown = teardown,
    .pairing = ENDS,
    .timing = BY_FIRST_RANK,
    .batched = true,
    .messages_per_run = 2,
    .moves = 1,
    .min_ranks = 2,
};
