/* Thakur, Rabenseifner and Gropp, Optimization of collective communication operations in MPICH,
 * IJHPCA 19(1), 2005: each rank gets what its subtree needs. P - 1 messages in ceil(log2 P) rounds;
 * (P - 1) m bytes out of the root, and for P a power of two P/2 log2(P) m over all messages. */
#include "blocks.h"

static void generate(Schedule *s, const Problem *p)
{
    scatter_blocks(s, p, place(INPUT_MEMORY, 0), place(OUTPUT_MEMORY, 0), 0, NO_STEP);
}

ALGORITHM(binomial, SCATTER) = {
    .description = "a binomial tree, each rank getting the blocks of its subtree",
    .generate = generate,
    .needs_all_counts = true,
};
