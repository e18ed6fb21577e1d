/* Hensgen, Finkel and Manber, Two algorithms for barrier synchronization, Int. J. Parallel
 * Programming 17(1), 1988: in round i each rank tells the one 2^i further on. P ceil(log2 P)
 * messages without data. */
#include "algorithm.h"

static void generate(Schedule *s, const Problem *p)
{
    int told = NO_STEP, round = 0;
    for (int64_t away = 1; away < p->ranks; away *= 2, round++) {
        add_signal(s, (int)((p->rank + away) % p->ranks), round, told);
        told = add_signal_receive(s, (int)((p->rank - away + p->ranks) % p->ranks), round, told);
    }
}

ALGORITHM(dissemination, BARRIER) = {
    .description = "in round i each rank tells the one 2^i further on",
    .generate = generate,
};
