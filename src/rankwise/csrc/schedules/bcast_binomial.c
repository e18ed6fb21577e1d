#include "tree.h"

static void generate(Schedule *s, const Problem *p)
{
    Tree tree = knomial_tree(p, 2);
    send_down(s, &tree, broadcast_place(p), p->count, p->segment, 0, NO_STEP, NULL);
    free_tree(&tree);
}

ALGORITHM(binomial, BCAST) = {
    .description = "a binomial tree, in segments if asked for",
    .generate = generate,
    .segmented = true,
};
