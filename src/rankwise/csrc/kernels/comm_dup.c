#include "kernel.h"

static void check(Cell *c)
{
    MPI_Comm copy;
    int result;
    MPI_Comm_dup(c->comm, &copy);
    MPI_Comm_compare(c->comm, copy, &result);
    if (result != MPI_CONGRUENT)
        report_wrong(c, "the copy of the communicator has not the same ranks");
    MPI_Comm_free(&copy);
}

static void fill(Cell *c)
{
    (void)c;
}

static const Data data = {NO_BLOCK, NO_BLOCK, fill, check};

static void run(Cell *c)
{
    MPI_Comm copy;
    MPI_Comm_dup(c->comm, &copy);
    MPI_Comm_free(&copy);
}

KERNEL(comm_dup) = {
    .category = START_UP,
    .description = "a communicator is copied, and the copy freed",
    .data = &data,
    .run = run,
    .unsized = true,
};
