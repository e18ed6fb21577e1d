#include "kernel.h"

static void run(Cell *c)
{
    MPI_Gather(c->send, c->count, c->type, c->receive, c->count, c->type, c->root, c->comm);
}

KERNEL(gather) = {
    .category = COLLECTIVE,
    .description = "a block of the size from each rank to the root",
    .data = &gather_data,
    .run = run,
};
