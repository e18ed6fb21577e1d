#include "kernel.h"

#if MPI_VERSION >= 3
static void start(Cell *c, MPI_Request *request)
{
    MPI_Ibarrier(c->comm, request);
}
#endif

KERNEL(ibarrier) = {
    .category = NONBLOCKING,
    .description = "nonblocking barrier",
    .start = MPI3_ONLY(start),
    .synchronises = true,
    .unsized = true,
    .unsupported = NEEDS_MPI3,
};
