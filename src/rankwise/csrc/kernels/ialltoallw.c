#include "kernel.h"

#if MPI_VERSION >= 3
static void start(Cell *c, MPI_Request *request)
{
    const TypedBlocks *blocks = c->state;
    MPI_Ialltoallw(input_of(c), c->counts, blocks->displacements, blocks->types, c->receive,
                   c->counts, blocks->displacements, blocks->types, c->comm, request);
}
#endif

KERNEL(ialltoallw) = {
    .category = NONBLOCKING,
    .description = "nonblocking alltoallw",
    .data = &alltoall_data,
    .start = MPI3_ONLY(start),
    .setup = open_typed_blocks,
    .teardown = close_typed_blocks,
    .in_place = IN_PLACE,
    .unequal = true,
    .unsupported = NEEDS_MPI3,
};
