/* A block from each rank to every rank, as if each got another one. */
#include "kernel.h"
#include <string.h>

static void run(Cell *c)
{
    for (int rank = 0; rank < c->ranks; rank++)
        memcpy(block_at(c, c->scratch, rank), c->send, c->payload_bytes);
    MPI_Alltoall(c->scratch, c->count, c->type, c->receive, c->count, c->type, c->comm);
}

KERNEL(allgather_as_alltoall) = {
    .category = GUIDELINE,
    .description = "allgather done by alltoall of copies",
    .data = &allgather_data,
    .scratch = BLOCK_PER_RANK,
    .run = run,
    .plain_data = true,
};
