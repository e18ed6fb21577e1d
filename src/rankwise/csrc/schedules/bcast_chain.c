/* Pjesivac-Grbovic et al., Performance analysis of MPI collective operations, Cluster Computing
 * 10(2), 2007 (pipeline): S segments go from rank to rank. (P - 1) S messages, P - 2 + S rounds,
 * (P - 1) m bytes, m from each rank but the last. */
#include "tree.h"

static void generate(Schedule *s, const Problem *p)
{
    Tree tree = chain_tree(p);
    send_down(s, &tree, broadcast_place(p), p->count, segment_or(p, p->count, 65536, 256), 0,
              NO_STEP, NULL);
    free_tree(&tree);
}

ALGORITHM(chain, BCAST) = {
    .description = "segments go along a chain of the ranks",
    .generate = generate,
    .segmented = true,
};
