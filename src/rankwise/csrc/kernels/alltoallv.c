#include "kernel.h"

/* Ranks i and j exchange blocks as long as the share of rank (i + j) % ranks: both ways the same.
 */
static void setup(Cell *c)
{
    for (int shift = 0; shift < c->rank; shift++) {
        const int first = c->counts[0];
        for (int i = 1; i < c->ranks; i++)
            c->counts[i - 1] = c->counts[i];
        c->counts[c->ranks - 1] = first;
    }
    for (int i = 0, start = 0; i < c->ranks; start += c->counts[i++])
        c->displacements[i] = start;
}

static void run(Cell *c)
{
    MPI_Alltoallv(c->send, c->counts, c->displacements, c->type, c->receive, c->counts,
                  c->displacements, c->type, c->comm);
}

KERNEL(alltoallv) = {
    .category = COLLECTIVE,
    .description = "alltoall of unequal blocks; their mean is the size",
    .data = &alltoall_data,
    .run = run,
    .setup = setup,
    .unequal = true,
};
