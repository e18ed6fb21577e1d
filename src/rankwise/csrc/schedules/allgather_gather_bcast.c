/* What MPICH-1 did: all blocks to rank 0, and from there to everybody, along binomial trees.
 * 2 (P - 1) messages in 2 ceil(log2 P) rounds; P m bytes to each rank, (P - 1) m more into rank 0.
 */
#include "blocks.h"
#include "tree.h"

static void generate(Schedule *s, const Problem *p)
{
    Problem at_zero = *p;
    at_zero.root = 0;
    const Place all = place(OUTPUT_MEMORY, 0);
    const int gathered = gather_blocks(s, &at_zero, place(INPUT_MEMORY, 0), all, 0, NO_STEP);
    Tree tree = knomial_tree(&at_zero, 2);
    Blocks blocks = blocks_from(p, p->counts, 0);
    send_down(s, &tree, all, blocks_before(&blocks, p->ranks), p->segment, 1, gathered, NULL);
    free_blocks(&blocks);
    free_tree(&tree);
}

ALGORITHM(gather_bcast, ALLGATHER) = {
    .description = "gathered by rank 0, which broadcasts it, along binomial trees",
    .generate = generate,
    .segmented = true,
};
