#include "neighbours.h"

#if MPI_VERSION >= 3
static void run(Cell *c)
{
    const Neighbours *near = c->state;
    MPI_Neighbor_allgatherv(c->send, near->own, c->type, c->receive, c->counts, c->displacements,
                            c->type, near->comm);
}
#endif

KERNEL(neighbor_allgatherv) = {
    .category = NEIGHBOURHOOD,
    .description = "neighbor_allgather of unequal blocks; their mean is the size",
    .data = &neighbour_allgather_data,
    .run = MPI3_ONLY(run),
    .setup = open_unequal_gather,
    .teardown = close_neighbours,
    .min_ranks = 2,
    .unequal = true,
    .unsupported = NEEDS_MPI3,
};
