#include "kernel.h"

#if HAS_MPI4
static int prepare(Cell *c)
{
    MPI_Barrier_init(c->comm, MPI_INFO_NULL, c->requests);
    return 1;
}
#endif

KERNEL(barrier_persistent) = {
    .category = PERSISTENT,
    .description = "persistent barrier",
    .prepare = MPI4_ONLY(prepare),
    .start = start_prepared,
    .synchronises = true,
    .unsized = true,
    .unsupported = NEEDS_MPI4,
};
