#include "kernel.h"

#if MPI_VERSION >= 3
static void start(Cell *c, MPI_Request *request)
{
    MPI_Ialltoallv(input_of(c), c->counts, c->displacements, c->type, c->receive, c->counts,
                   c->displacements, c->type, c->comm, request);
}
#endif

KERNEL(ialltoallv) = {
    .category = NONBLOCKING,
    .description = "nonblocking alltoallv",
    .data = &alltoall_data,
    .start = MPI3_ONLY(start),
    .setup = exchange_shares,
    .in_place = IN_PLACE,
    .unequal = true,
    .unsupported = NEEDS_MPI3,
};
