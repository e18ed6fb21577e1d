/* Pjesivac-Grbovic et al., Cluster Computing 10(2), 2007: up a k-nomial tree, P - 1 messages of
 * m bytes in ceil(log_k P) rounds of k - 1 messages. Where the order matters rank 0 is on top,
 * and sends one message more to the root. */
#include "reduction.h"

static void generate(Schedule *s, const Problem *p)
{
    Problem top = *p; /* where the order matters the ranks are counted from 0 */
    top.root = p->commutative ? p->root : 0;
    reduce_on_tree(s, p, knomial_tree(&top, fan_out_or(p, 4)), top.root, p->segment);
}

ALGORITHM(knomial, REDUCE) = {
    .description = "up a k-nomial tree: who reduces gets k - 1 messages in each round",
    .generate = generate,
    .segmented = true,
    .fans = true,
    .objection = needs_a_fan_out_of_two,
};
