#include "neighbours.h"

#if MPI_VERSION >= 3
static void start(Cell *c, MPI_Request *request)
{
    const Neighbours *near = c->state;
    MPI_Ineighbor_alltoallw(c->send, c->counts, near->byte_displacements, near->types, c->receive,
                            c->counts, near->byte_displacements, near->types, near->comm, request);
}
#endif

KERNEL(ineighbor_alltoallw) = {
    .category = NEIGHBOURHOOD,
    .description = "nonblocking neighbor_alltoallw",
    .data = &neighbour_alltoall_data,
    .start = MPI3_ONLY(start),
    .setup = open_unequal_exchange,
    .teardown = close_neighbours,
    .min_ranks = 2,
    .unequal = true,
    .unsupported = NEEDS_MPI3,
};
