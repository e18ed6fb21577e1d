/* Rabenseifner, Optimization of collective reduction operations, ICCS 2004: reduce-scatter by
 * recursive halving, allgather by recursive doubling, nearest partners for the longest messages.
 * 2 log2 P rounds; a rank sends 2 m (P - 1)/P bytes. Where P is no power of two, the ranks beyond
 * it send theirs first and get the sum in the end. It keeps the order. */
#include "reduction.h"

static void generate(Schedule *s, const Problem *p)
{
    allreduce_by_halving(s, p, near_first);
}

ALGORITHM(rabenseifner, ALLREDUCE) = {
    .description = "reduce-scatter by recursive halving, then allgather by recursive doubling",
    .generate = generate,
};
