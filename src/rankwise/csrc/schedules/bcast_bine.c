/* De Sensi et al., Bine trees: enhancing collective operations by optimizing communication
 * locality, SC 2025: a binomial tree whose partners are a third nearer. P - 1 messages of m bytes,
 * ceil(log2 P) rounds, one more where P is no power of two. */
#include "tree.h"

static void generate(Schedule *s, const Problem *p)
{
    Tree tree = bine_tree(p);
    send_down(s, &tree, broadcast_place(p), p->count, p->segment, 0, NO_STEP, NULL);
    free_tree(&tree);
}

ALGORITHM(bine, BCAST) = {
    .description = "a binomial tree whose partners are nearer (Bine)",
    .generate = generate,
    .segmented = true,
};
