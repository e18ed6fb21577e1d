#include "kernel.h"

#if MPI_VERSION >= 3
static void start(Cell *c, MPI_Request *request)
{
    char *buffer = c->rank == c->root ? c->send : c->receive;
    MPI_Ibcast(buffer, c->count, c->type, c->root, c->comm, request);
}
#endif

KERNEL(ibcast) = {
    .category = NONBLOCKING,
    .description = "nonblocking bcast",
    .data = &broadcast_data,
    .start = MPI3_ONLY(start),
    .unsupported = NEEDS_MPI3,
};
