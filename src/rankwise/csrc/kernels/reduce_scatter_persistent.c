#include "kernel.h"

#if HAS_MPI4
static int prepare(Cell *c)
{
    MPI_Reduce_scatter_init(input_of(c), c->receive, c->counts, c->type, c->op, c->comm,
                            MPI_INFO_NULL, c->requests);
    return 1;
}
#endif

KERNEL(reduce_scatter_persistent) = {
    .category = PERSISTENT,
    .description = "persistent reduce_scatter",
    .data = &reduce_scatter_data,
    .prepare = MPI4_ONLY(prepare),
    .start = start_prepared,
    .setup = divide_block,
    .in_place = IN_PLACE,
    .reduces = true,
    .unsupported = NEEDS_MPI4,
};
