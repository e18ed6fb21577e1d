#include "kernel.h"

static void run(Cell *c)
{
    MPI_Exscan(input_of(c), c->receive, c->count, c->type, c->op, c->comm);
}

KERNEL(exscan) = {
    .category = COLLECTIVE,
    .description = "on each rank, the reduction of the vectors of the ranks before it",
    .data = &exscan_data,
    .run = run,
    .in_place = IN_PLACE,
    .reduces = true,
};
