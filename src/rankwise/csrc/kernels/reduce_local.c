#include "kernel.h"

#if MPI_VERSION >= 3
static void fill(Cell *c)
{
    if (!c->active)
        return;
    fill_terms(c);
    fill_terms_at(c, c->receive, c->count);
}

static void check(Cell *c)
{
    if (c->active)
        expect_terms_at(c, c->receive, c->rank, c->rank);
}

static const Data data = {ONE_BLOCK, ONE_BLOCK, fill, check};

static void run(Cell *c)
{
    MPI_Reduce_local(c->send, c->receive, c->count, c->type, c->op);
}
#endif

KERNEL(reduce_local) = {
    .category = COLLECTIVE,
    .description = "the reduction of two vectors in the memory of the first rank",
    .data = MPI3_ONLY(&data),
    .run = MPI3_ONLY(run),
    .pairing = FIRST_ALONE,
    .timing = BY_FIRST_RANK,
    .batched = true,
    .reduces = true,
    .unsupported = NEEDS_MPI3,
};
