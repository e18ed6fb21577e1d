#include "kernel.h"

static void run(Cell *c)
{
    const int receives = receive_window(c, 0);
    const int sends = send_window(c, receives);
    finish(c, receives + sends);
    if (c->leads) {
        MPI_Recv(NULL, 0, MPI_BYTE, c->partner, TAG, c->comm, MPI_STATUS_IGNORE);
    } else {
        MPI_Send(NULL, 0, MPI_BYTE, c->partner, TAG, c->comm);
    }
}

KERNEL(bibandwidth) = {
    .category = POINT_TO_POINT,
    .description = "windows of messages between the first rank and the last, both ways at once",
    .data = &window_both_ways_data,
    .run = run,
    .pairing = ENDS,
    .timing = BY_FIRST_RANK,
    .batched = true,
    .windowed = true,
    .moves = 2,
    .min_ranks = 2,
};
