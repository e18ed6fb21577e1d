#include "kernel.h"

#if HAS_MPI4
static int prepare(Cell *c)
{
    MPI_Reduce_init(input_of(c), c->receive, c->count, c->type, c->op, c->root, c->comm,
                    MPI_INFO_NULL, c->requests);
    return 1;
}
#endif

KERNEL(reduce_persistent) = {
    .category = PERSISTENT,
    .description = "persistent reduce",
    .data = &reduce_data,
    .prepare = MPI4_ONLY(prepare),
    .start = start_prepared,
    .in_place = IN_PLACE_AT_ROOT,
    .reduces = true,
    .unsupported = NEEDS_MPI4,
};
