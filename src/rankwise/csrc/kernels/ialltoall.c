#include "kernel.h"

#if MPI_VERSION >= 3
static void start(Cell *c, MPI_Request *request)
{
    MPI_Ialltoall(c->send, c->count, c->type, c->receive, c->count, c->type, c->comm, request);
}
#endif

KERNEL(ialltoall) = {
    .category = NONBLOCKING,
    .description = "nonblocking alltoall",
    .data = &alltoall_data,
    .start = MPI3_ONLY(start),
    .unsupported = NEEDS_MPI3,
};
