#include "kernel.h"

#if HAS_MPI4
static int prepare(Cell *c)
{
    MPI_Gather_init(input_of(c), c->count, c->type, c->receive, c->count, c->type, c->root, c->comm,
                    MPI_INFO_NULL, c->requests);
    return 1;
}
#endif

KERNEL(gather_persistent) = {
    .category = PERSISTENT,
    .description = "persistent gather",
    .data = &gather_data,
    .prepare = MPI4_ONLY(prepare),
    .start = start_prepared,
    .in_place = IN_PLACE_AT_ROOT,
    .unsupported = NEEDS_RESTARTABLE,
};
