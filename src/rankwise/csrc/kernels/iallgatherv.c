#include "kernel.h"

#if MPI_VERSION >= 3
static void start(Cell *c, MPI_Request *request)
{
    MPI_Iallgatherv(input_of(c), c->counts[c->rank], c->type, c->receive, c->counts,
                    c->displacements, c->type, c->comm, request);
}
#endif

KERNEL(iallgatherv) = {
    .category = NONBLOCKING,
    .description = "nonblocking allgatherv",
    .data = &allgather_data,
    .start = MPI3_ONLY(start),
    .in_place = IN_PLACE,
    .unequal = true,
    .unsupported = NEEDS_MPI3,
};
