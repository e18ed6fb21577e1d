#include "kernel.h"

static void run(Cell *c)
{
    MPI_Scan(input_of(c), c->receive, c->count, c->type, c->op, c->comm);
}

KERNEL(scan) = {
    .category = COLLECTIVE,
    .description = "on each rank, the reduction of the vectors of the ranks up to it",
    .data = &scan_data,
    .run = run,
    .in_place = IN_PLACE,
    .reduces = true,
};
