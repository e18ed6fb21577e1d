#include "neighbours.h"

#if MPI_VERSION >= 3
static void run(Cell *c)
{
    const Neighbours *near = c->state;
    MPI_Neighbor_alltoallw(c->send, c->counts, near->byte_displacements, near->types, c->receive,
                           c->counts, near->byte_displacements, near->types, near->comm);
}
#endif

KERNEL(neighbor_alltoallw) = {
    .category = NEIGHBOURHOOD,
    .description = "neighbor_alltoallv, each block with a datatype of its own",
    .data = &neighbour_alltoall_data,
    .run = MPI3_ONLY(run),
    .setup = open_unequal_exchange,
    .teardown = close_neighbours,
    .min_ranks = 2,
    .unequal = true,
    .unsupported = NEEDS_MPI3,
};
