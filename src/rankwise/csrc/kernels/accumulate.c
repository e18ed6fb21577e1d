#include "one_sided.h"

#if MPI_VERSION >= 3
static void run(Cell *c)
{
    const OneSided *shared = c->state;
    if (begin_access(c, c->leads, !c->leads))
        MPI_Accumulate(c->send, c->count, c->type, shared->target, receive_offset(c), c->count,
                       c->type, c->op, shared->window);
    end_access(c, c->leads, !c->leads);
}
#endif

KERNEL(accumulate) = {
    .category = ONE_SIDED,
    .description = "the first rank's vector is reduced into the last rank's memory",
    .data = &accumulate_data,
    .run = MPI3_ONLY(run),
    .setup = open_one_sided,
    .teardown = close_one_sided,
    .pairing = ENDS,
    .timing = BY_FIRST_RANK,
    .batched = true,
    .moves = 1,
    .min_ranks = 2,
    .reduces = true,
    .whole = true,
    .unsupported = NEEDS_MPI3,
};
