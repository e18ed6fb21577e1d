#include "kernel.h"

#if MPI_VERSION >= 3
static void start(Cell *c, MPI_Request *request)
{
    MPI_Iallreduce(c->send, c->receive, c->count, c->type, c->op, c->comm, request);
}
#endif

KERNEL(iallreduce) = {
    .category = NONBLOCKING,
    .description = "nonblocking allreduce",
    .data = &allreduce_data,
    .start = MPI3_ONLY(start),
    .unsupported = NEEDS_MPI3,
    .reduces = true,
};
