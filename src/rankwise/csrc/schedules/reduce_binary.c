/* Pjesivac-Grbovic et al., Cluster Computing 10(2), 2007: S segments go up a tree with two
 * children each, of depth floor(log2 P). (P - 1) S messages, (P - 1) m bytes. Where the order
 * matters a rank stands between its children, and the middle one on top sends S messages more to
 * the root. */
#include "reduction.h"

static void generate(Schedule *s, const Problem *p)
{
    if (p->commutative)
        reduce_on_tree(s, p, binary_tree(p), p->root, segment_or(p, p->count, 65536, 256));
    else
        reduce_on_tree(s, p, binary_tree_in_order(p), p->ranks / 2,
                       segment_or(p, p->count, 65536, 256));
}

ALGORITHM(binary, REDUCE) = {
    .description = "segments go up a tree with two children each",
    .generate = generate,
    .segmented = true,
};
