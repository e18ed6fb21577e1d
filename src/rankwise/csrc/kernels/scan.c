#include "kernel.h"

static void check(Cell *c)
{
    expect_reduction(c, c->rank, 0, c->count);
}

static const Data data = {ONE_BLOCK, ONE_BLOCK, fill_terms, check};

static void run(Cell *c)
{
    MPI_Scan(c->send, c->receive, c->count, c->type, c->op, c->comm);
}

KERNEL(scan) = {
    .category = COLLECTIVE,
    .description = "on each rank, the reduction of the vectors of the ranks up to it",
    .data = &data,
    .run = run,
    .reduces = true,
};
