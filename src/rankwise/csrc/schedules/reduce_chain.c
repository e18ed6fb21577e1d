/* Pjesivac-Grbovic et al., Cluster Computing 10(2), 2007 (pipeline): S segments go from rank to
 * rank, each reducing its own into them. (P - 1) S messages, P - 2 + S rounds, (P - 1) m bytes.
 * Where the order matters rank 0 is on top, and
 * sends one message more to the root. */
#include "reduction.h"

static void generate(Schedule *s, const Problem *p)
{
    Problem top = *p; /* where the order matters the ranks are counted from 0 */
    top.root = p->commutative ? p->root : 0;
    reduce_on_tree(s, p, chain_tree(&top), top.root, segment_or(p, p->count, 65536, 256));
}

ALGORITHM(chain, REDUCE) = {
    .description = "segments go along a chain of the ranks to the root",
    .generate = generate,
    .segmented = true,
};
