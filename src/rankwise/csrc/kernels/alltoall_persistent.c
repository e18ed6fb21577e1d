#include "kernel.h"

#if HAS_MPI4
static int prepare(Cell *c)
{
    MPI_Alltoall_init(input_of(c), c->count, c->type, c->receive, c->count, c->type, c->comm,
                      MPI_INFO_NULL, c->requests);
    return 1;
}
#endif

KERNEL(alltoall_persistent) = {
    .category = PERSISTENT,
    .description = "persistent alltoall",
    .data = &alltoall_data,
    .prepare = MPI4_ONLY(prepare),
    .start = start_prepared,
    .in_place = IN_PLACE,
    .unsupported = NEEDS_MPI4,
};
