#include "kernel.h"

static void run(Cell *c)
{
    MPI_Alltoall(c->send, c->count, c->type, c->receive, c->count, c->type, c->comm);
}

KERNEL(alltoall) = {
    .category = COLLECTIVE,
    .description = "a block of the size from each rank to each rank",
    .data = &alltoall_data,
    .run = run,
};
