/* Pjesivac-Grbovic et al., Cluster Computing 10(2), 2007: S segments go down a tree with two
 * children each, of depth floor(log2 P). (P - 1) S messages, (P - 1) m bytes, at most 2 m from one
 * rank. */
#include "tree.h"

static void generate(Schedule *s, const Problem *p)
{
    Tree tree = binary_tree(p);
    send_down(s, &tree, broadcast_place(p), p->count, segment_or(p, p->count, 65536, 256), 0,
              NO_STEP, NULL);
    free_tree(&tree);
}

ALGORITHM(binary, BCAST) = {
    .description = "segments go down a tree with two children each",
    .generate = generate,
    .segmented = true,
};
