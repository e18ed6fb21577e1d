#include "kernel.h"

static void run(Cell *c)
{
    MPI_Allgatherv(input_of(c), c->counts[c->rank], c->type, c->receive, c->counts,
                   c->displacements, c->type, c->comm);
}

KERNEL(allgatherv) = {
    .category = COLLECTIVE,
    .description = "allgather of blocks that grow with the rank; their mean is the size",
    .data = &allgather_data,
    .run = run,
    .in_place = IN_PLACE,
    .unequal = true,
};
