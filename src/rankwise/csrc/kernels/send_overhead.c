/* The sender's share of a message: what MPI_Isend takes before the rank can go on. */
#include "kernel.h"

/* The message of the run before is waited for first, outside the time. */
static void run(Cell *c)
{
    if (!c->leads) {
        MPI_Recv(c->receive, c->count, c->type, c->partner, TAG, c->comm, MPI_STATUS_IGNORE);
        return;
    }
    MPI_Wait(&c->requests[0], MPI_STATUS_IGNORE);
    restart_timer(c);
    MPI_Isend(c->send, c->count, c->type, c->partner, TAG, c->comm, &c->requests[0]);
}

static void setup(Cell *c)
{
    c->requests[0] = MPI_REQUEST_NULL;
}

static void teardown(Cell *c)
{
    if (c->active && c->leads)
        MPI_Wait(&c->requests[0], MPI_STATUS_IGNORE);
}

KERNEL(send_overhead) = {
    .category = POINT_TO_POINT,
    .description = "what starting to send takes the first rank: MPI_Isend without its completion",
    .data = &one_way_data,
    .run = run,
    .setup = setup,
    .teardown = teardown,
    .pairing = ENDS,
    .timing = BY_FIRST_RANK,
    .moves = 1,
    .min_ranks = 2,
};
