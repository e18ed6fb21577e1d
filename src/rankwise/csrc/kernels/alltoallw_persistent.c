#include "kernel.h"

#if HAS_MPI4
static int prepare(Cell *c)
{
    const TypedBlocks *blocks = c->state;
    MPI_Alltoallw_init(input_of(c), c->counts, blocks->displacements, blocks->types, c->receive,
                       c->counts, blocks->displacements, blocks->types, c->comm, MPI_INFO_NULL,
                       c->requests);
    return 1;
}
#endif

KERNEL(alltoallw_persistent) = {
    .category = PERSISTENT,
    .description = "persistent alltoallw",
    .data = &alltoall_data,
    .prepare = MPI4_ONLY(prepare),
    .start = start_prepared,
    .setup = open_typed_blocks,
    .teardown = close_typed_blocks,
    .in_place = IN_PLACE,
    .unequal = true,
    .unsupported = NEEDS_MPI4,
};
