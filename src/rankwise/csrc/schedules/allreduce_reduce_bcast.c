/* The reduction goes up a binomial tree to rank 0 and its result down again, in segments if asked
 * for: 2 (P - 1) messages of m bytes in 2 ceil(log2 P) rounds. It keeps the order. Thakur,
 * Rabenseifner and Gropp, IJHPCA 19(1), 2005. */
#include "reduction.h"

static void generate(Schedule *s, const Problem *p)
{
    allreduce_on_tree(s, p, knomial_tree(p, 2), p->segment);
}

ALGORITHM(reduce_bcast, ALLREDUCE) = {
    .description = "up a binomial tree to rank 0 and down again",
    .generate = generate,
    .segmented = true,
};
