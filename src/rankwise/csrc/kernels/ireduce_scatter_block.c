#include "kernel.h"

#if MPI_VERSION >= 3
static void start(Cell *c, MPI_Request *request)
{
    MPI_Ireduce_scatter_block(input_of(c), c->receive, c->count, c->type, c->op, c->comm, request);
}
#endif

KERNEL(ireduce_scatter_block) = {
    .category = NONBLOCKING,
    .description = "nonblocking reduce_scatter_block",
    .data = &reduce_scatter_block_data,
    .start = MPI3_ONLY(start),
    .setup = join_blocks,
    .in_place = IN_PLACE,
    .reduces = true,
    .unsupported = NEEDS_MPI3,
};
