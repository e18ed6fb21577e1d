#include "kernel.h"

static void run(Cell *c)
{
    MPI_Reduce(c->send, c->receive, c->count, c->type, c->op, c->root, c->comm);
}

KERNEL(reduce) = {
    .category = COLLECTIVE,
    .description = "the reduction of all ranks' vectors, on the root",
    .data = &reduce_data,
    .run = run,
    .reduces = true,
};
