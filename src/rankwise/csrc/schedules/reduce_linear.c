/* Pjesivac-Grbovic et al., Cluster Computing 10(2), 2007 (flat): all send to the root, which
 * reduces in the order of the ranks. P - 1 messages of m bytes. */
#include "reduction.h"

static void generate(Schedule *s, const Problem *p)
{
    reduce_on_tree(s, p, linear_tree_in_order(p), p->root, p->segment);
}

ALGORITHM(linear, REDUCE) = {
    .description = "all send to the root, which reduces in the order of the ranks",
    .generate = generate,
    .segmented = true,
};
