#include "kernel.h"

static int prepare(Cell *c)
{
    const int receives = receive_init_window(c, 0);
    return receives + send_init_window(c, receives);
}

static void run(Cell *c)
{
    MPI_Startall(2 * c->window, c->requests);
    finish(c, 2 * c->window);
    if (c->leads)
        MPI_Recv(NULL, 0, MPI_BYTE, c->partner, TAG, c->comm, MPI_STATUS_IGNORE);
    else
        MPI_Send(NULL, 0, MPI_BYTE, c->partner, TAG, c->comm);
}

KERNEL(bibandwidth_persistent) = {
    .category = POINT_TO_POINT,
    .description = "bibandwidth by requests that are made once",
    .data = &window_both_ways_data,
    .prepare = prepare,
    .run = run,
    .pairing = ENDS,
    .timing = BY_FIRST_RANK,
    .batched = true,
    .windowed = true,
    .moves = 2,
    .min_ranks = 2,
};
