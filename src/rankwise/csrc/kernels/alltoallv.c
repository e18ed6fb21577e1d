#include "kernel.h"

static void run(Cell *c)
{
    MPI_Alltoallv(input_of(c), c->counts, c->displacements, c->type, c->receive, c->counts,
                  c->displacements, c->type, c->comm);
}

KERNEL(alltoallv) = {
    .category = COLLECTIVE,
    .description = "alltoall of unequal blocks; their mean is the size",
    .data = &alltoall_data,
    .run = run,
    .setup = exchange_shares,
    .in_place = IN_PLACE,
    .unequal = true,
};
