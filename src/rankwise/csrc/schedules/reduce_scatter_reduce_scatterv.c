/* What MPICH-1 and Open MPI's basic module do: all blocks are reduced at rank 0, along a binomial
 * tree, and scattered from there along another. 2 (P - 1) messages in 2 ceil(log2 P) rounds;
 * ceil(log2 P) P m bytes into rank 0, and (P - 1) m out of it. */
#include "blocks.h"
#include "tree.h"

static void generate(Schedule *s, const Problem *p)
{
    Problem at_zero = *p;
    at_zero.root = 0;
    Tree tree = knomial_tree(&at_zero, 2);
    Blocks blocks = blocks_from(p, p->counts, 0);
    const int64_t length = blocks_before(&blocks, p->ranks);
    const Place sum = add_scratch(s, p->rank ? 0 : length);
    const int reduced = reduce_up(s, &tree, place(INPUT_MEMORY, 0), sum, length, p->segment,
                                  p->commutative, 1, NO_STEP, NULL);
    scatter_blocks(s, &at_zero, sum, place(OUTPUT_MEMORY, 0), 0, reduced);
    free_blocks(&blocks);
    free_tree(&tree);
}

ALGORITHM(reduce_scatterv, REDUCE_SCATTER) = {
    .description = "reduced at rank 0, which scatters it, along binomial trees",
    .generate = generate,
    .segmented = true,
};
