#include "kernel.h"

#if MPI_VERSION >= 3
static void start(Cell *c, MPI_Request *request)
{
    MPI_Iscatter(c->send, c->count, c->type, output_of(c), c->count, c->type, c->root, c->comm,
                 request);
}
#endif

KERNEL(iscatter) = {
    .category = NONBLOCKING,
    .description = "nonblocking scatter",
    .data = &scatter_data,
    .start = MPI3_ONLY(start),
    .in_place = IN_PLACE_AT_ROOT,
    .unsupported = NEEDS_MPI3,
};
