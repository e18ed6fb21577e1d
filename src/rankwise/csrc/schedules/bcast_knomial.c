/* Pjesivac-Grbovic et al., Cluster Computing 10(2), 2007: a tree in which each rank that has the
 * data sends them to k - 1 more in a round. P - 1 messages of m bytes, ceil(log_k P) rounds of k -
 * 1 messages. */
#include "tree.h"

static void generate(Schedule *s, const Problem *p)
{
    Tree tree = knomial_tree(p, fan_out_or(p, 4));
    send_down(s, &tree, broadcast_place(p), p->count, p->segment, 0, NO_STEP, NULL);
    free_tree(&tree);
}

ALGORITHM(knomial, BCAST) = {
    .description = "a k-nomial tree: who has the data sends them to k - 1 more in each round",
    .generate = generate,
    .segmented = true,
    .fans = true,
    .objection = needs_a_fan_out_of_two,
};
