#include "kernel.h"

#if HAS_MPI4
static int prepare(Cell *c)
{
    MPI_Scatterv_init(c->send, c->counts, c->displacements, c->type, output_of(c),
                      c->counts[c->rank], c->type, c->root, c->comm, MPI_INFO_NULL, c->requests);
    return 1;
}
#endif

KERNEL(scatterv_persistent) = {
    .category = PERSISTENT,
    .description = "persistent scatterv",
    .data = &scatter_data,
    .prepare = MPI4_ONLY(prepare),
    .start = start_prepared,
    .in_place = IN_PLACE_AT_ROOT,
    .unequal = true,
    .unsupported = NEEDS_MPI4,
};
