#include "kernel.h"

#if HAS_MPI4
static int prepare(Cell *c)
{
    MPI_Scatter_init(c->send, c->count, c->type, output_of(c), c->count, c->type, c->root, c->comm,
                     MPI_INFO_NULL, c->requests);
    return 1;
}
#endif

KERNEL(scatter_persistent) = {
    .category = PERSISTENT,
    .description = "persistent scatter",
    .data = &scatter_data,
    .prepare = MPI4_ONLY(prepare),
    .start = start_prepared,
    .in_place = IN_PLACE_AT_ROOT,
    .unsupported = NEEDS_RESTARTABLE,
};
