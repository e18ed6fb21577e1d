#include "kernel.h"

static void run(Cell *c)
{
    MPI_Barrier(c->comm);
}

KERNEL(barrier) = {
    .category = COLLECTIVE,
    .description = "every rank waits for every rank",
    .run = run,
    .synchronises = true,
    .unsized = true,
};
