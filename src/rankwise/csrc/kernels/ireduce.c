#include "kernel.h"

#if MPI_VERSION >= 3
static void start(Cell *c, MPI_Request *request)
{
    MPI_Ireduce(input_of(c), c->receive, c->count, c->type, c->op, c->root, c->comm, request);
}
#endif

KERNEL(ireduce) = {
    .category = NONBLOCKING,
    .description = "nonblocking reduce",
    .data = &reduce_data,
    .start = MPI3_ONLY(start),
    .in_place = IN_PLACE_AT_ROOT,
    .reduces = true,
    .unsupported = NEEDS_MPI3,
};
