#include "kernel.h"

/* MPICH's issue 7078: the root's own block is copied when the request is made, not when it is
 * started. Intel MPI counts as MPICH 3.4 here. */
#if defined(MPICH_NUMVERSION) && MPICH_NUMVERSION < 40300000
#define UNSUPPORTED "its MPI_Gather_init delivers wrong data on the root (as MPICH's before 4.3)"
#else
#define UNSUPPORTED NEEDS_MPI4
#endif

#if HAS_MPI4
static int prepare(Cell *c)
{
    MPI_Gather_init(input_of(c), c->count, c->type, c->receive, c->count, c->type, c->root, c->comm,
                    MPI_INFO_NULL, c->requests);
    return 1;
}
#endif

KERNEL(gather_persistent) = {
    .category = PERSISTENT,
    .description = "persistent gather",
    .data = &gather_data,
    .prepare = MPI4_ONLY(prepare),
    .start = start_prepared,
    .in_place = IN_PLACE_AT_ROOT,
    .unsupported = UNSUPPORTED,
};
