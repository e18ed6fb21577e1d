/* The root's data to every rank, in parts. */
#include "kernel.h"

/* The root, too, gathers into c->receive: no operation then reads and writes the same memory. */
static void run(Cell *c)
{
    const int mine = c->counts[c->rank];
    if (c->count % c->ranks) {
        MPI_Scatterv(c->send, c->counts, c->displacements, c->type, c->scratch, mine, c->type,
                     c->root, c->comm);
        MPI_Allgatherv(c->scratch, mine, c->type, c->receive, c->counts, c->displacements, c->type,
                       c->comm);
    } else {
        MPI_Scatter(c->send, mine, c->type, c->scratch, mine, c->type, c->root, c->comm);
        MPI_Allgather(c->scratch, mine, c->type, c->receive, mine, c->type, c->comm);
    }
}

KERNEL(bcast_as_scatter_allgather) = {
    .category = GUIDELINE,
    .description = "bcast done by scatter and allgather",
    .data = &broadcast_data,
    .scratch = ONE_BLOCK,
    .run = run,
    .setup = divide_block,
};
