#include "kernel.h"

static void fill(Cell *c)
{
    const int each = c->window / (c->ranks - 1);
    for (int i = 0; c->rank == 0 && i < c->window; i++)
        fill_block(c, i, message_to(c, 1 + i / each, i % each));
}

static void check(Cell *c)
{
    for (int i = 0; c->rank > 0 && i < c->window / (c->ranks - 1); i++)
        expect_block(c, i, 0, message_to(c, c->rank, i));
}

static const Data data = {BLOCK_PER_MESSAGE, BLOCK_PER_MESSAGE, fill, check};

static void run(Cell *c)
{
    const int each = c->window / (c->ranks - 1);
    if (c->rank > 0) {
        for (int i = 0; i < each; i++)
            MPI_Irecv(block_at(c, c->receive, i), c->count, c->type, 0, TAG, c->comm,
                      &c->requests[i]);
        finish(c, each);
        MPI_Send(NULL, 0, MPI_BYTE, 0, TAG, c->comm);
        return;
    }
    for (int i = 0; i < c->window; i++)
        MPI_Isend(block_at(c, c->send, c->verifies ? i : 0), c->count, c->type, 1 + i / each, TAG,
                  c->comm, &c->requests[i]);
    finish(c, c->window);
    for (int rank = 1; rank < c->ranks; rank++)
        MPI_Recv(NULL, 0, MPI_BYTE, rank, TAG, c->comm, MPI_STATUS_IGNORE);
}

KERNEL(fan_out) = {
    .category = POINT_TO_POINT,
    .description = "a window of messages from the first rank to all others, until acknowledged",
    .data = &data,
    .run = run,
    .timing = BY_FIRST_RANK,
    .batched = true,
    .windowed = true,
    .fans = true,
    .moves = 1,
    .min_ranks = 2,
};
