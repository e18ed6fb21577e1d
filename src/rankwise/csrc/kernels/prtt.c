#include "kernel.h"

static void run(Cell *c)
{
    if (c->leads) {
        MPI_Send(c->send, c->count, c->type, c->partner, TAG, c->comm);
        MPI_Recv(NULL, 0, MPI_BYTE, c->partner, TAG, c->comm, MPI_STATUS_IGNORE);
    } else {
        MPI_Recv(c->receive, c->count, c->type, c->partner, TAG, c->comm, MPI_STATUS_IGNORE);
        MPI_Send(NULL, 0, MPI_BYTE, c->partner, TAG, c->comm);
    }
}

KERNEL(prtt) = {
    .category = POINT_TO_POINT,
    .description = "a message there and an empty one back",
    .data = &one_way_data,
    .run = run,
    .pairing = ENDS,
    .timing = BY_FIRST_RANK,
    .batched = true,
    .moves = 1,
    .min_ranks = 2,
};
