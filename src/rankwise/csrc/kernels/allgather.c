#include "kernel.h"

static void run(Cell *c)
{
    MPI_Allgather(input_of(c), c->count, c->type, c->receive, c->count, c->type, c->comm);
}

KERNEL(allgather) = {
    .category = COLLECTIVE,
    .description = "a block of the size from each rank to every rank",
    .data = &allgather_data,
    .run = run,
    .in_place = IN_PLACE,
};
