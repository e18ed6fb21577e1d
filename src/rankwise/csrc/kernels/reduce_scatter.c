#include "kernel.h"

/* The size is the whole vector's, as in IMB and OSU. */
static void run(Cell *c)
{
    MPI_Reduce_scatter(input_of(c), c->receive, c->counts, c->type, c->op, c->comm);
}

KERNEL(reduce_scatter) = {
    .category = COLLECTIVE,
    .description = "the reduction of all ranks' vectors of the size, a part on each rank",
    .data = &reduce_scatter_data,
    .run = run,
    .setup = divide_block,
    .in_place = IN_PLACE,
    .reduces = true,
};
