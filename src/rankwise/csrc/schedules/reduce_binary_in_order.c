/* Open MPI's in-order binary tree with the middle rank on top: reduces in the order of the ranks
 * for any root, so that sums of floating-point numbers do not depend on the root. (P - 1) S
 * messages of S segments, S more if the root is not rank floor(P/2). */
#include "reduction.h"

static void generate(Schedule *s, const Problem *p)
{
    Problem ordered = *p;
    ordered.commutative = false;
    reduce_on_tree(s, &ordered, binary_tree_in_order(p), p->ranks / 2,
                   segment_or(p, p->count, 65536, 256));
}

ALGORITHM(binary_in_order, REDUCE) = {
    .description =
        "up a tree in which each rank stands between its children, whatever the operation",
    .generate = generate,
    .segmented = true,
};
