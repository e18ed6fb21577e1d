#include "kernel.h"

static void run(Cell *c)
{
    MPI_Gather(input_of(c), c->count, c->type, c->receive, c->count, c->type, c->root, c->comm);
}

KERNEL(gather) = {
    .category = COLLECTIVE,
    .description = "a block of the size from each rank to the root",
    .data = &gather_data,
    .run = run,
    .in_place = IN_PLACE_AT_ROOT,
};
