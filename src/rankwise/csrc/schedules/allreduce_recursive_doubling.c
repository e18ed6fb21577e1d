/* Thakur, Rabenseifner and Gropp, IJHPCA 19(1), 2005: neighbours exchange all they have, then pairs
 * of them, ...: log2 P rounds, in each of which a rank sends m bytes. Where P is no power of two,
 * the ranks beyond it send theirs first and get the sum in the end. It keeps the order. */
#include "reduction.h"

static void generate(Schedule *s, const Problem *p)
{
    allreduce_by_exchange(s, p, 2);
}

ALGORITHM(recursive_doubling, ALLREDUCE) = {
    .description = "pairs exchange all they have, then pairs of pairs, ...",
    .generate = generate,
};
