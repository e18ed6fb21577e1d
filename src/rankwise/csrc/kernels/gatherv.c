#include "kernel.h"

static void run(Cell *c)
{
    MPI_Gatherv(input_of(c), c->counts[c->rank], c->type, c->receive, c->counts, c->displacements,
                c->type, c->root, c->comm);
}

KERNEL(gatherv) = {
    .category = COLLECTIVE,
    .description = "gather of blocks that grow with the rank; their mean is the size",
    .data = &gather_data,
    .run = run,
    .in_place = IN_PLACE_AT_ROOT,
    .unequal = true,
};
