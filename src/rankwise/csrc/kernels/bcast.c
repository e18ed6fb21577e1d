#include "kernel.h"

static void run(Cell *c)
{
    char *buffer = c->rank == c->root ? c->send : c->receive;
    MPI_Bcast(buffer, c->count, c->type, c->root, c->comm);
}

KERNEL(bcast) = {
    .category = COLLECTIVE,
    .description = "the root's data to every rank",
    .data = &broadcast_data,
    .run = run,
};
