#include "kernel.h"

static void run(Cell *c)
{
    MPI_Allreduce(c->send, c->receive, c->count, c->type, c->op, c->comm);
}

KERNEL(allreduce) = {
    .category = COLLECTIVE,
    .description = "the reduction of all ranks' vectors, on every rank",
    .data = &allreduce_data,
    .run = run,
    .reduces = true,
};
