#include "neighbours.h"

#if MPI_VERSION >= 3
static void start(Cell *c, MPI_Request *request)
{
    const Neighbours *near = c->state;
    MPI_Ineighbor_allgatherv(c->send, near->own, c->type, c->receive, c->counts, c->displacements,
                             c->type, near->comm, request);
}
#endif

KERNEL(ineighbor_allgatherv) = {
    .category = NEIGHBOURHOOD,
    .description = "nonblocking neighbor_allgatherv",
    .data = &neighbour_allgather_data,
    .start = MPI3_ONLY(start),
    .setup = open_unequal_gather,
    .teardown = close_neighbours,
    .min_ranks = 2,
    .unequal = true,
    .unsupported = NEEDS_MPI3,
};
