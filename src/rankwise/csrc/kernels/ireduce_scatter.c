#include "kernel.h"

#if MPI_VERSION >= 3
static void start(Cell *c, MPI_Request *request)
{
    MPI_Ireduce_scatter(input_of(c), c->receive, c->counts, c->type, c->op, c->comm, request);
}
#endif

KERNEL(ireduce_scatter) = {
    .category = NONBLOCKING,
    .description = "nonblocking reduce_scatter",
    .data = &reduce_scatter_data,
    .start = MPI3_ONLY(start),
    .setup = divide_block,
    .in_place = IN_PLACE,
    .reduces = true,
    .unsupported = NEEDS_MPI3,
};
