/* A block from each rank to the root, and to all others as well. */
#include "kernel.h"

static void run(Cell *c)
{
    MPI_Allgather(c->send, c->count, c->type, c->receive, c->count, c->type, c->comm);
}

KERNEL(gather_as_allgather) = {
    .category = GUIDELINE,
    .description = "gather done by allgather",
    .data = &gather_data,
    .run = run,
};
