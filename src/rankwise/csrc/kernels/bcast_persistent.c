#include "kernel.h"

#if HAS_MPI4
static int prepare(Cell *c)
{
    char *buffer = c->rank == c->root ? c->send : c->receive;
    MPI_Bcast_init(buffer, c->count, c->type, c->root, c->comm, MPI_INFO_NULL, c->requests);
    return 1;
}
#endif

KERNEL(bcast_persistent) = {
    .category = PERSISTENT,
    .description = "persistent bcast",
    .data = &broadcast_data,
    .prepare = MPI4_ONLY(prepare),
    .start = start_prepared,
    .unsupported = NEEDS_RESTARTABLE,
};
