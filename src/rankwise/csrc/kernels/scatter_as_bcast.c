/* A block from the root to each rank, each of which gets all and keeps its own. */
#include "kernel.h"
#include <string.h>

static void run(Cell *c)
{
    char *all = c->rank == c->root ? c->send : c->scratch;
    MPI_Bcast(all, c->count * c->ranks, c->type, c->root, c->comm);
    memcpy(c->receive, block_at(c, all, c->rank), c->payload_bytes);
}

KERNEL(scatter_as_bcast) = {
    .category = GUIDELINE,
    .description = "scatter done by bcast of everything",
    .data = &scatter_data,
    .scratch = BLOCK_PER_RANK,
    .run = run,
    .setup = join_blocks,
    .plain_data = true,
};
