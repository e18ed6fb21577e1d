/* The reduction of all ranks' vectors on the root, then handed to every rank. */
#include "kernel.h"

static void run(Cell *c)
{
    MPI_Reduce(c->send, c->receive, c->count, c->type, c->op, c->root, c->comm);
    MPI_Bcast(c->receive, c->count, c->type, c->root, c->comm);
}

KERNEL(allreduce_as_reduce_bcast) = {
    .category = GUIDELINE,
    .description = "allreduce done by reduce and bcast",
    .data = &allreduce_data,
    .run = run,
    .reduces = true,
};
