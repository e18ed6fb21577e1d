#include "kernel.h"

/* Even and odd ranks, each in reverse order. */
static MPI_Comm split(const Cell *c)
{
    MPI_Comm part;
    MPI_Comm_split(c->comm, c->rank % 2, -c->rank, &part);
    return part;
}

static void check(Cell *c)
{
    MPI_Comm part = split(c);
    int rank, ranks;
    const int wanted_ranks = (c->ranks + 1 - c->rank % 2) / 2;
    const int wanted_rank = wanted_ranks - 1 - c->rank / 2;
    MPI_Comm_rank(part, &rank);
    MPI_Comm_size(part, &ranks);
    if (rank != wanted_rank || ranks != wanted_ranks)
        report_wrong(c, "is rank %d of %d, not %d of %d", rank, ranks, wanted_rank, wanted_ranks);
    MPI_Comm_free(&part);
}

static void fill(Cell *c)
{
    (void)c;
}

static const Data data = {NO_BLOCK, NO_BLOCK, fill, check};

static void run(Cell *c)
{
    MPI_Comm part = split(c);
    MPI_Comm_free(&part);
}

KERNEL(comm_split) = {
    .category = START_UP,
    .description = "a communicator is split into even and odd ranks, and the parts freed",
    .data = &data,
    .run = run,
    .unsized = true,
};
