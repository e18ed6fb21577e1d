#include "kernel.h"

#if HAS_MPI4
static int prepare(Cell *c)
{
    MPI_Exscan_init(input_of(c), c->receive, c->count, c->type, c->op, c->comm, MPI_INFO_NULL,
                    c->requests);
    return 1;
}
#endif

KERNEL(exscan_persistent) = {
    .category = PERSISTENT,
    .description = "persistent exscan",
    .data = &exscan_data,
    .prepare = MPI4_ONLY(prepare),
    .start = start_prepared,
    .in_place = IN_PLACE,
    .reduces = true,
    .unsupported = NEEDS_MPI4,
};
