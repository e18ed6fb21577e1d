#include "kernel.h"

#if MPI_VERSION >= 3
static void start(Cell *c, MPI_Request *request)
{
    MPI_Iscan(input_of(c), c->receive, c->count, c->type, c->op, c->comm, request);
}
#endif

KERNEL(iscan) = {
    .category = NONBLOCKING,
    .description = "nonblocking scan",
    .data = &scan_data,
    .start = MPI3_ONLY(start),
    .in_place = IN_PLACE,
    .reduces = true,
    .unsupported = NEEDS_MPI3,
};
