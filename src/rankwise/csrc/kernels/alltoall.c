#include "kernel.h"

static void run(Cell *c)
{
    MPI_Alltoall(input_of(c), c->count, c->type, c->receive, c->count, c->type, c->comm);
}

KERNEL(alltoall) = {
    .category = COLLECTIVE,
    .description = "a block of the size from each rank to each rank",
    .data = &alltoall_data,
    .run = run,
    .in_place = IN_PLACE,
};
