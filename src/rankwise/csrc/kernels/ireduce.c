#include "kernel.h"

#if MPI_VERSION >= 3
static void start(Cell *c, MPI_Request *request)
{
    MPI_Ireduce(c->send, c->receive, c->count, c->type, c->op, c->root, c->comm, request);
}
#endif

KERNEL(ireduce) = {
    .category = NONBLOCKING,
    .description = "nonblocking reduce",
    .data = &reduce_data,
    .start = MPI3_ONLY(start),
    .unsupported = NEEDS_MPI3,
    .reduces = true,
};
