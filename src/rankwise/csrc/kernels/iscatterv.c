#include "kernel.h"

#if MPI_VERSION >= 3
static void start(Cell *c, MPI_Request *request)
{
    MPI_Iscatterv(c->send, c->counts, c->displacements, c->type, output_of(c), c->counts[c->rank],
                  c->type, c->root, c->comm, request);
}
#endif

KERNEL(iscatterv) = {
    .category = NONBLOCKING,
    .description = "nonblocking scatterv",
    .data = &scatter_data,
    .start = MPI3_ONLY(start),
    .in_place = IN_PLACE_AT_ROOT,
    .unequal = true,
    .unsupported = NEEDS_MPI3,
};
