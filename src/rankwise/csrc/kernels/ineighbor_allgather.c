#include "neighbours.h"

#if MPI_VERSION >= 3
static void start(Cell *c, MPI_Request *request)
{
    const Neighbours *near = c->state;
    MPI_Ineighbor_allgather(c->send, c->count, c->type, c->receive, c->count, c->type, near->comm,
                            request);
}
#endif

KERNEL(ineighbor_allgather) = {
    .category = NEIGHBOURHOOD,
    .description = "nonblocking neighbor_allgather",
    .data = &neighbour_allgather_data,
    .start = MPI3_ONLY(start),
    .setup = open_neighbours,
    .teardown = close_neighbours,
    .min_ranks = 2,
    .unsupported = NEEDS_MPI3,
};
