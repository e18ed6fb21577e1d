/* What the usual benchmarks send and receive. */
#include "kernel.h"

static void fill_for_partner(Cell *c)
{
    if (c->active)
        fill_block(c, 0, c->partner);
}

static void check_one_way(Cell *c)
{
    if (c->active && !c->leads)
        expect_block(c, 0, c->partner, c->rank);
}

static void check_both_ways(Cell *c)
{
    if (c->active)
        expect_block(c, 0, c->partner, c->rank);
}

const Data one_way_data = {ONE_BLOCK, ONE_BLOCK, fill_for_partner, check_one_way};
const Data both_ways_data = {ONE_BLOCK, ONE_BLOCK, fill_for_partner, check_both_ways};

static void fill_window(Cell *c)
{
    for (int i = 0; c->active && i < c->window; i++)
        fill_block(c, i, message_to(c, c->partner, i));
}

static void check_window_both_ways(Cell *c)
{
    for (int i = 0; c->active && i < c->window; i++)
        expect_block(c, i, c->partner, message_to(c, c->rank, i));
}

static void check_window_one_way(Cell *c)
{
    if (!c->leads)
        check_window_both_ways(c);
}

const Data window_one_way_data = {BLOCK_PER_MESSAGE, BLOCK_PER_MESSAGE, fill_window,
                                  check_window_one_way};
const Data window_both_ways_data = {BLOCK_PER_MESSAGE, BLOCK_PER_MESSAGE, fill_window,
                                    check_window_both_ways};

/* One block is this rank's own share: counts[rank] elements, which are `count` where all are equal.
 */
static void fill_own_share(Cell *c, int destination)
{
    fill_at(c, c->send, c->counts[c->rank], destination);
}

static void fill_for_each_rank(Cell *c)
{
    for (int rank = 0; rank < c->ranks; rank++)
        fill_block(c, rank, rank);
}

static void expect_from_each_rank(Cell *c, int destination)
{
    for (int rank = 0; rank < c->ranks; rank++)
        expect_block(c, rank, rank, destination);
}

static void fill_broadcast(Cell *c)
{
    if (c->rank == c->root)
        fill_block(c, 0, EVERY_RANK);
}

static void check_broadcast(Cell *c)
{
    if (c->rank != c->root)
        expect_block(c, 0, c->root, EVERY_RANK);
}

static void fill_scatter(Cell *c)
{
    if (c->rank == c->root)
        fill_for_each_rank(c);
}

static void check_scatter(Cell *c)
{
    if (!is_in_place(c))
        expect_at(c, c->receive, c->counts[c->rank], c->root, c->rank);
}

static void fill_gather(Cell *c)
{
    fill_own_share(c, c->root);
}

static void check_gather(Cell *c)
{
    if (c->rank == c->root)
        expect_from_each_rank(c, c->root);
}

static void fill_allgather(Cell *c)
{
    fill_own_share(c, EVERY_RANK);
}

static void check_allgather(Cell *c)
{
    expect_from_each_rank(c, EVERY_RANK);
}

static void check_alltoall(Cell *c)
{
    expect_from_each_rank(c, c->rank);
}

const Data broadcast_data = {ONE_BLOCK, ONE_BLOCK, fill_broadcast, check_broadcast};
const Data scatter_data = {BLOCK_PER_RANK, ONE_BLOCK, fill_scatter, check_scatter};
const Data gather_data = {ONE_BLOCK, BLOCK_PER_RANK, fill_gather, check_gather};
const Data allgather_data = {ONE_BLOCK, BLOCK_PER_RANK, fill_allgather, check_allgather};
const Data alltoall_data = {BLOCK_PER_RANK, BLOCK_PER_RANK, fill_for_each_rank, check_alltoall};

static void check_reduce(Cell *c)
{
    if (c->rank == c->root)
        expect_reduction(c, c->ranks - 1, 0, c->count);
}

static void check_allreduce(Cell *c)
{
    expect_reduction(c, c->ranks - 1, 0, c->count);
}

/* The parts are those of divide_block. */
static void check_reduce_scatter(Cell *c)
{
    expect_reduction(c, c->ranks - 1, c->displacements[c->rank], c->counts[c->rank]);
}

static void check_reduce_scatter_block(Cell *c)
{
    expect_reduction(c, c->ranks - 1, c->rank * c->count, c->count);
}

static void check_scan(Cell *c)
{
    expect_reduction(c, c->rank, 0, c->count);
}

/* The first rank gets nothing. */
static void check_exscan(Cell *c)
{
    if (c->rank > 0)
        expect_reduction(c, c->rank - 1, 0, c->count);
}

static void fill_terms_of_all_blocks(Cell *c)
{
    fill_terms_at(c, c->send, c->count * c->ranks);
}

/* Room for all blocks on both sides: in place, the input is where the output goes. */
const Data reduce_scatter_block_data = {BLOCK_PER_RANK, BLOCK_PER_RANK, fill_terms_of_all_blocks,
                                        check_reduce_scatter_block};
const Data scan_data = {ONE_BLOCK, ONE_BLOCK, fill_terms, check_scan};
const Data exscan_data = {ONE_BLOCK, ONE_BLOCK, fill_terms, check_exscan};
const Data reduce_data = {ONE_BLOCK, ONE_BLOCK, fill_terms, check_reduce};
const Data allreduce_data = {ONE_BLOCK, ONE_BLOCK, fill_terms, check_allreduce};
const Data reduce_scatter_data = {ONE_BLOCK, ONE_BLOCK, fill_terms, check_reduce_scatter};
