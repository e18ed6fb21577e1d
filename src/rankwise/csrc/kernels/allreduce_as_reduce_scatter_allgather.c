/* The reduction of all ranks' vectors in parts, then put together on every rank. */
#include "kernel.h"

/* Where the parts are equal, by the operation for equal parts: libraries treat it better. */
static void run(Cell *c)
{
    const int mine = c->counts[c->rank];
    MPI_Reduce_scatter(c->send, c->scratch, c->counts, c->type, c->op, c->comm);
    if (c->count % c->ranks)
        MPI_Allgatherv(c->scratch, mine, c->type, c->receive, c->counts, c->displacements, c->type,
                       c->comm);
    else
        MPI_Allgather(c->scratch, mine, c->type, c->receive, mine, c->type, c->comm);
}

KERNEL(allreduce_as_reduce_scatter_allgather) = {
    .category = GUIDELINE,
    .description = "allreduce done by reduce_scatter and allgather",
    .data = &allreduce_data,
    .scratch = ONE_BLOCK,
    .run = run,
    .setup = divide_block,
    .reduces = true,
};
