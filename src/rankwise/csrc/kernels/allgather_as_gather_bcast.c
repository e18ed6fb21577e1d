/* A block from each rank to the root, which hands all to every rank. */
#include "kernel.h"

static void run(Cell *c)
{
    MPI_Gather(c->send, c->count, c->type, c->receive, c->count, c->type, c->root, c->comm);
    MPI_Bcast(c->receive, c->count * c->ranks, c->type, c->root, c->comm);
}

KERNEL(allgather_as_gather_bcast) = {
    .category = GUIDELINE,
    .description = "allgather done by gather and bcast",
    .data = &allgather_data,
    .run = run,
    .setup = join_blocks,
};
