#include "neighbours.h"

#if MPI_VERSION >= 3
static void run(Cell *c)
{
    const Neighbours *near = c->state;
    MPI_Neighbor_alltoallv(c->send, c->counts, c->displacements, c->type, c->receive, c->counts,
                           c->displacements, c->type, near->comm);
}
#endif

KERNEL(neighbor_alltoallv) = {
    .category = NEIGHBOURHOOD,
    .description = "neighbor_alltoall of unequal blocks; their mean is the size",
    .data = &neighbour_alltoall_data,
    .run = MPI3_ONLY(run),
    .setup = open_unequal_exchange,
    .teardown = close_neighbours,
    .min_ranks = 2,
    .unequal = true,
    .unsupported = NEEDS_MPI3,
};
