/* Thakur, Rabenseifner and Gropp, IJHPCA 19(1), 2005: up a binomial tree, P - 1 messages of m
 * bytes in ceil(log2 P) rounds. Where the order matters rank 0 is on top,
 * and sends one message more to the root. */
#include "reduction.h"

static void generate(Schedule *s, const Problem *p)
{
    Problem top = *p; /* where the order matters the ranks are counted from 0 */
    top.root = p->commutative ? p->root : 0;
    reduce_on_tree(s, p, knomial_tree(&top, 2), top.root, p->segment);
}

ALGORITHM(binomial, REDUCE) = {
    .description = "up a binomial tree",
    .generate = generate,
    .segmented = true,
};
