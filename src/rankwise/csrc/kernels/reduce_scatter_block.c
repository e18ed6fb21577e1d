#include "kernel.h"

#if MPI_VERSION >= 3
static void run(Cell *c)
{
    MPI_Reduce_scatter_block(input_of(c), c->receive, c->count, c->type, c->op, c->comm);
}
#endif

KERNEL(reduce_scatter_block) = {
    .category = COLLECTIVE,
    .description = "the reduction of all ranks' vectors, a block of the size on each rank",
    .data = &reduce_scatter_block_data,
    .run = MPI3_ONLY(run),
    .setup = join_blocks,
    .in_place = IN_PLACE,
    .reduces = true,
    .unsupported = NEEDS_MPI3,
};
