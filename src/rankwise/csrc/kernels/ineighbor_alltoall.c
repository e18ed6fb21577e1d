#include "neighbours.h"

#if MPI_VERSION >= 3
static void start(Cell *c, MPI_Request *request)
{
    const Neighbours *near = c->state;
    MPI_Ineighbor_alltoall(c->send, c->count, c->type, c->receive, c->count, c->type, near->comm,
                           request);
}
#endif

KERNEL(ineighbor_alltoall) = {
    .category = NEIGHBOURHOOD,
    .description = "nonblocking neighbor_alltoall",
    .data = &neighbour_alltoall_data,
    .start = MPI3_ONLY(start),
    .setup = open_neighbours,
    .teardown = close_neighbours,
    .min_ranks = 2,
    .unsupported = NEEDS_MPI3,
};
