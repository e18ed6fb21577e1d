#include "kernel.h"

#if MPI_VERSION >= 3
static void start(Cell *c, MPI_Request *request)
{
    MPI_Iexscan(input_of(c), c->receive, c->count, c->type, c->op, c->comm, request);
}
#endif

KERNEL(iexscan) = {
    .category = NONBLOCKING,
    .description = "nonblocking exscan",
    .data = &exscan_data,
    .start = MPI3_ONLY(start),
    .in_place = IN_PLACE,
    .reduces = true,
    .unsupported = NEEDS_MPI3,
};
