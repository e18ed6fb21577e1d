/* S segments go along the chain of the ranks to rank 0, each rank reducing its own into them, and
 * the results back, at the same time: 2 (P - 1) S messages, 2 (P - 1) m bytes, 2 (P - 2) + 2 S
 * rounds, as a rank within the chain sends each segment twice. It keeps the order. Pjesivac-Grbovic
 * et al., Cluster Computing 10(2), 2007 (pipeline). */
#include "reduction.h"

static void generate(Schedule *s, const Problem *p)
{
    allreduce_on_tree(s, p, chain_tree(p), segment_or(p, p->count, 65536, 256));
}

ALGORITHM(chain, ALLREDUCE) = {
    .description = "segments go along a chain to rank 0 and back, at the same time",
    .generate = generate,
    .segmented = true,
};
