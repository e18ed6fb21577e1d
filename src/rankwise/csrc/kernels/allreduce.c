#include "kernel.h"

static void run(Cell *c)
{
    MPI_Allreduce(input_of(c), c->receive, c->count, c->type, c->op, c->comm);
}

KERNEL(allreduce) = {
    .category = COLLECTIVE,
    .description = "the reduction of all ranks' vectors, on every rank",
    .data = &allreduce_data,
    .run = run,
    .in_place = IN_PLACE,
    .reduces = true,
};
