#include "kernel.h"

static void run(Cell *c)
{
    if (c->leads) {
        finish(c, send_window(c, 0));
        MPI_Recv(NULL, 0, MPI_BYTE, c->partner, TAG, c->comm, MPI_STATUS_IGNORE);
    } else {
        finish(c, receive_window(c, 0));
        MPI_Send(NULL, 0, MPI_BYTE, c->partner, TAG, c->comm);
    }
}

KERNEL(bandwidth) = {
    .category = POINT_TO_POINT,
    .description = "a window of messages from the first rank to the last, until acknowledged",
    .data = &window_one_way_data,
    .run = run,
    .pairing = ENDS,
    .timing = BY_FIRST_RANK,
    .batched = true,
    .windowed = true,
    .moves = 1,
    .min_ranks = 2,
};
