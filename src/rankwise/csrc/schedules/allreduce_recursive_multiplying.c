/* Ruefenacht, Bull and Booth, Generalisation of recursive doubling for AllReduce, Parallel
 * Computing 69, 2017: groups of k exchange all they have, then k of these groups, ...: about log_k
 * P rounds, in each of which a rank sends k - 1 messages of m bytes. With k^i the largest power up
 * to P, the largest multiple of it up to P takes part, with one round of P/k^i; ranks beyond it
 * send theirs first and get the sum in the end. It keeps the order. */
#include "reduction.h"

static void generate(Schedule *s, const Problem *p)
{
    allreduce_by_exchange(s, p, fan_out_or(p, 4));
}

ALGORITHM(recursive_multiplying, ALLREDUCE) = {
    .description = "groups of k exchange all they have, then k groups, ...",
    .generate = generate,
    .fans = true,
    .objection = needs_a_fan_out_of_two,
};
