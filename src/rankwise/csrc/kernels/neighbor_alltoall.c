#include "neighbours.h"

#if MPI_VERSION >= 3
static void run(Cell *c)
{
    const Neighbours *near = c->state;
    MPI_Neighbor_alltoall(c->send, c->count, c->type, c->receive, c->count, c->type, near->comm);
}
#endif

KERNEL(neighbor_alltoall) = {
    .category = NEIGHBOURHOOD,
    .description = "a block from each rank to each of its neighbours",
    .data = &neighbour_alltoall_data,
    .run = MPI3_ONLY(run),
    .setup = open_neighbours,
    .teardown = close_neighbours,
    .min_ranks = 2,
    .unsupported = NEEDS_MPI3,
};
