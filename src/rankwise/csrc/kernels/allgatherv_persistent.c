#include "kernel.h"

#if HAS_MPI4
static int prepare(Cell *c)
{
    MPI_Allgatherv_init(input_of(c), c->counts[c->rank], c->type, c->receive, c->counts,
                        c->displacements, c->type, c->comm, MPI_INFO_NULL, c->requests);
    return 1;
}
#endif

KERNEL(allgatherv_persistent) = {
    .category = PERSISTENT,
    .description = "persistent allgatherv",
    .data = &allgather_data,
    .prepare = MPI4_ONLY(prepare),
    .start = start_prepared,
    .in_place = IN_PLACE,
    .unequal = true,
    .unsupported = NEEDS_MPI4,
};
