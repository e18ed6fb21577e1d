#include "kernel.h"

#if MPI_VERSION >= 3
static void start(Cell *c, MPI_Request *request)
{
    MPI_Igather(input_of(c), c->count, c->type, c->receive, c->count, c->type, c->root, c->comm,
                request);
}
#endif

KERNEL(igather) = {
    .category = NONBLOCKING,
    .description = "nonblocking gather",
    .data = &gather_data,
    .start = MPI3_ONLY(start),
    .in_place = IN_PLACE_AT_ROOT,
    .unsupported = NEEDS_MPI3,
};
