#include "kernel.h"

static void run(Cell *c)
{
    MPI_Scatter(c->send, c->count, c->type, output_of(c), c->count, c->type, c->root, c->comm);
}

KERNEL(scatter) = {
    .category = COLLECTIVE,
    .description = "a block of the size from the root to each rank",
    .data = &scatter_data,
    .run = run,
    .in_place = IN_PLACE_AT_ROOT,
};
