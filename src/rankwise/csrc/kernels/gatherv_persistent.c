#include "kernel.h"

#if HAS_MPI4
static int prepare(Cell *c)
{
    MPI_Gatherv_init(input_of(c), c->counts[c->rank], c->type, c->receive, c->counts,
                     c->displacements, c->type, c->root, c->comm, MPI_INFO_NULL, c->requests);
    return 1;
}
#endif

KERNEL(gatherv_persistent) = {
    .category = PERSISTENT,
    .description = "persistent gatherv",
    .data = &gather_data,
    .prepare = MPI4_ONLY(prepare),
    .start = start_prepared,
    .in_place = IN_PLACE_AT_ROOT,
    .unequal = true,
    .unsupported = NEEDS_MPI4,
};
