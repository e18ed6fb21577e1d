#include "kernel.h"

static void run(Cell *c)
{
    MPI_Request request;
    MPI_Isend(c->send, c->count, c->type, c->partner, TAG, c->comm, &request);
    MPI_Recv(c->receive, c->count, c->type, c->partner, TAG, c->comm, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

KERNEL(pingping) = {
    .category = POINT_TO_POINT,
    .description = "messages between the first and the last rank that cross each other",
    .data = &both_ways_data,
    .run = run,
    .pairing = ENDS,
    .batched = true,
    .moves = 1,
    .min_ranks = 2,
};
