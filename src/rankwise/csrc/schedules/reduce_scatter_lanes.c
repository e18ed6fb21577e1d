#include "many_messages.h"

static void sum_block(Schedule *s, const Problem *p, Pipeline *f, int owner, int64_t start, int tag)
{
    (void)p;
    (void)owner;
    sum_up(s, f, place(INPUT_MEMORY, start), place(OUTPUT_MEMORY, 0), tag);
}

static void generate(Schedule *s, const Problem *p)
{
    for_each_block(s, p, tree_to_all, sum_block);
}

ALGORITHM(lanes, REDUCE_SCATTER) = {
    .description = "each block is summed up in chunks at the corresponding rank of each site first",
    .generate = generate,
    .commutative_only = "it adds up site by site, whatever the order of the ranks",
    .segmented = true,
    .lanes = true,
    .for_networks = true,
};
