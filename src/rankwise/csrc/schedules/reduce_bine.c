/* De Sensi et al., Bine trees, SC 2025: up a binomial tree whose partners are a third nearer.
 * P - 1 messages of m bytes, ceil(log2 P) rounds, one more where P is no power of two. */
#include "reduction.h"

static void generate(Schedule *s, const Problem *p)
{
    reduce_on_tree(s, p, bine_tree(p), p->root, p->segment);
}

ALGORITHM(bine, REDUCE) = {
    .description = "up a binomial tree whose partners are nearer (Bine)",
    .generate = generate,
    .segmented = true,
    .commutative_only = "a Bine tree does not join neighbouring ranks",
};
