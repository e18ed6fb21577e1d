#include "kernel.h"

/* The receive is posted once the message is known to wait for it; only then the timer starts. */
static void run(Cell *c)
{
    if (c->leads) {
        MPI_Send(c->send, c->count, c->type, c->partner, TAG, c->comm);
        return;
    }
    int arrived = 0;
    while (!arrived) {
        MPI_Iprobe(c->partner, TAG, c->comm, &arrived, MPI_STATUS_IGNORE);
        if (!arrived)
            wait_a_little(c);
    }
    restart_timer(c);
    MPI_Recv(c->receive, c->count, c->type, c->partner, TAG, c->comm, MPI_STATUS_IGNORE);
}

KERNEL(late_receiver) = {
    .category = POINT_TO_POINT,
    .description = "receiving a message that came before its receive was posted",
    .data = &one_way_data,
    .run = run,
    .pairing = ENDS,
    .timing = BY_LAST_RANK,
    .moves = 1,
    .min_ranks = 2,
};
