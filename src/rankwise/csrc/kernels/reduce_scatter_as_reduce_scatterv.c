/* The reduction of all ranks' vectors on the root, which then hands out its parts. */
#include "kernel.h"

static void run(Cell *c)
{
    MPI_Reduce(c->send, c->scratch, c->count, c->type, c->op, c->root, c->comm);
    MPI_Scatterv(c->scratch, c->counts, c->displacements, c->type, c->receive, c->counts[c->rank],
                 c->type, c->root, c->comm);
}

KERNEL(reduce_scatter_as_reduce_scatterv) = {
    .category = GUIDELINE,
    .description = "reduce_scatter done by reduce and scatterv",
    .data = &reduce_scatter_data,
    .scratch = ONE_BLOCK,
    .run = run,
    .setup = divide_block,
    .reduces = true,
};
