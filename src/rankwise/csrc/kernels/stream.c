#include "kernel.h"

static void run(Cell *c)
{
    if (c->leads)
        MPI_Send(c->send, c->count, c->type, c->partner, TAG, c->comm);
    else
        MPI_Recv(c->receive, c->count, c->type, c->partner, TAG, c->comm, MPI_STATUS_IGNORE);
}

KERNEL(stream) = {
    .category = POINT_TO_POINT,
    .description = "time from arrival to arrival of a stream from the first rank to the last",
    .data = &one_way_data,
    .run = run,
    .pairing = ENDS,
    .timing = BY_LAST_RANK,
    .streamed = true,
    .moves = 1,
    .min_ranks = 2,
};
