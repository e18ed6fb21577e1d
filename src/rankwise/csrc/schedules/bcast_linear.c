/* Thakur, Rabenseifner and Gropp call it flat, IJHPCA 19(1), 2005: the root sends to everyone.
 * P - 1 messages of m bytes in P - 1 rounds, all from the root. */
#include "tree.h"

static void generate(Schedule *s, const Problem *p)
{
    Tree tree = linear_tree(p);
    send_down(s, &tree, broadcast_place(p), p->count, p->segment, 0, NO_STEP, NULL);
    free_tree(&tree);
}

ALGORITHM(linear, BCAST) = {
    .description = "the root sends to everyone",
    .generate = generate,
    .segmented = true,
};
