/* The reduction of all ranks' vectors, on the root and on all others as well. */
#include "kernel.h"

static void run(Cell *c)
{
    MPI_Allreduce(c->send, c->receive, c->count, c->type, c->op, c->comm);
}

KERNEL(reduce_as_allreduce) = {
    .category = GUIDELINE,
    .description = "reduce done by allreduce",
    .data = &reduce_data,
    .run = run,
    .reduces = true,
};
