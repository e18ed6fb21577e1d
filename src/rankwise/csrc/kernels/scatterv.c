#include "kernel.h"

static void run(Cell *c)
{
    MPI_Scatterv(c->send, c->counts, c->displacements, c->type, output_of(c), c->counts[c->rank],
                 c->type, c->root, c->comm);
}

KERNEL(scatterv) = {
    .category = COLLECTIVE,
    .description = "scatter of blocks that grow with the rank; their mean is the size",
    .data = &scatter_data,
    .run = run,
    .in_place = IN_PLACE_AT_ROOT,
    .unequal = true,
};
