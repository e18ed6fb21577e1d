#include "neighbours.h"

#if MPI_VERSION >= 3
static void start(Cell *c, MPI_Request *request)
{
    const Neighbours *near = c->state;
    MPI_Ineighbor_alltoallv(c->send, c->counts, c->displacements, c->type, c->receive, c->counts,
                            c->displacements, c->type, near->comm, request);
}
#endif

KERNEL(ineighbor_alltoallv) = {
    .category = NEIGHBOURHOOD,
    .description = "nonblocking neighbor_alltoallv",
    .data = &neighbour_alltoall_data,
    .start = MPI3_ONLY(start),
    .setup = open_unequal_exchange,
    .teardown = close_neighbours,
    .min_ranks = 2,
    .unequal = true,
    .unsupported = NEEDS_MPI3,
};
