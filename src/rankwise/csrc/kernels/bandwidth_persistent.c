#include "kernel.h"

static int prepare(Cell *c)
{
    return c->leads ? send_init_window(c, 0) : receive_init_window(c, 0);
}

static void run(Cell *c)
{
    MPI_Startall(c->window, c->requests);
    finish(c, c->window);
    if (c->leads)
        MPI_Recv(NULL, 0, MPI_BYTE, c->partner, TAG, c->comm, MPI_STATUS_IGNORE);
    else
        MPI_Send(NULL, 0, MPI_BYTE, c->partner, TAG, c->comm);
}

KERNEL(bandwidth_persistent) = {
    .category = POINT_TO_POINT,
    .description = "bandwidth by requests that are made once",
    .data = &window_one_way_data,
    .prepare = prepare,
    .run = run,
    .pairing = ENDS,
    .timing = BY_FIRST_RANK,
    .batched = true,
    .windowed = true,
    .moves = 1,
    .min_ranks = 2,
};
