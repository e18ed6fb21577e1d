/* How blocks are divided, joined and exchanged by operations whose blocks are not all alike. */
#include "harness.h"
#include <limits.h>
#include <stdlib.h>

void divide_block(Cell *c)
{
    for (int rank = 0, start = 0; rank < c->ranks; start += c->counts[rank++]) {
        c->counts[rank] = c->count / c->ranks + (rank < c->count % c->ranks);
        c->displacements[rank] = start;
    }
}

void join_blocks(Cell *c)
{
    if (c->count > INT_MAX / c->ranks)
        fail_cell(c, "%d elements from each of %d ranks are more than MPI's int counts hold",
                  c->count, c->ranks);
}

void exchange_shares(Cell *c)
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

static void describe_blocks(Cell *c, TypedBlocks *blocks)
{
    for (int rank = 0; rank < c->ranks; rank++) {
        const size_t bytes = (size_t)c->displacements[rank] * c->element.extent;
        if (bytes > INT_MAX)
            fail_cell(c, "block %d begins at byte %zu, which MPI's int displacements do not hold",
                      rank, bytes);
        blocks->types[rank] = c->type;
        blocks->displacements[rank] = (int)bytes;
    }
}

void open_typed_blocks(Cell *c)
{
    TypedBlocks *blocks = cell_memory(c, sizeof *blocks);
    c->state = blocks;
    exchange_shares(c);
    if (!blocks)
        return;
    blocks->types = cell_memory(c, (size_t)c->ranks * sizeof(MPI_Datatype));
    blocks->displacements = cell_memory(c, (size_t)c->ranks * sizeof(int));
    if (blocks->types && blocks->displacements)
        describe_blocks(c, blocks);
}

void close_typed_blocks(Cell *c)
{
    TypedBlocks *blocks = c->state;
    if (!blocks)
        return;
    free(blocks->types);
    free(blocks->displacements);
    free(blocks);
}
