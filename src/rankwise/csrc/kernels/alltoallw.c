#include "kernel.h"

static void run(Cell *c)
{
    const TypedBlocks *blocks = c->state;
    MPI_Alltoallw(input_of(c), c->counts, blocks->displacements, blocks->types, c->receive,
                  c->counts, blocks->displacements, blocks->types, c->comm);
}

KERNEL(alltoallw) = {
    .category = COLLECTIVE,
    .description = "alltoall of unequal blocks, each with a datatype of its own",
    .data = &alltoall_data,
    .run = run,
    .setup = open_typed_blocks,
    .teardown = close_typed_blocks,
    .in_place = IN_PLACE,
    .unequal = true,
};
