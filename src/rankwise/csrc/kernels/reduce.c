#include "kernel.h"

static void run(Cell *c)
{
    MPI_Reduce(input_of(c), c->receive, c->count, c->type, c->op, c->root, c->comm);
}

KERNEL(reduce) = {
    .category = COLLECTIVE,
    .description = "the reduction of all ranks' vectors, on the root",
    .data = &reduce_data,
    .run = run,
    .in_place = IN_PLACE_AT_ROOT,
    .reduces = true,
};
