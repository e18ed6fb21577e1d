#include "kernel.h"

/* The size is the whole vector's, as in IMB and OSU; the first ranks get what does not divide. */
static void setup(Cell *c)
{
    for (int rank = 0, start = 0; rank < c->ranks; start += c->counts[rank++]) {
        c->counts[rank] = c->count / c->ranks + (rank < c->count % c->ranks);
        c->displacements[rank] = start;
    }
}

static void check(Cell *c)
{
    expect_reduction(c, c->ranks - 1, c->displacements[c->rank], c->counts[c->rank]);
}

static const Data data = {ONE_BLOCK, ONE_BLOCK, fill_terms, check};

static void run(Cell *c)
{
    MPI_Reduce_scatter(c->send, c->receive, c->counts, c->type, c->operation, c->comm);
}

KERNEL(reduce_scatter) = {
    .category = COLLECTIVE,
    .description = "the reduction of all ranks' vectors of the size, a part on each rank",
    .data = &data,
    .run = run,
    .setup = setup,
    .reduces = true,
};
