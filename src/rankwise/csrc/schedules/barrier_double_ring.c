/* Open MPI's double ring: a token goes round all ranks twice. 2 P messages without data, one after
 * another; none where there is one rank. */
#include "algorithm.h"

static void generate(Schedule *s, const Problem *p)
{
    const int next = (p->rank + 1) % p->ranks, before = (p->rank + p->ranks - 1) % p->ranks;
    int token = NO_STEP;
    for (int turn = 0; turn < 2 && p->ranks > 1; turn++) {
        if (p->rank > 0)
            token = add_signal_receive(s, before, turn, token);
        add_signal(s, next, turn, token);
        if (p->rank == 0)
            token = add_signal_receive(s, before, turn, token);
    }
}

ALGORITHM(double_ring, BARRIER) = {
    .description = "a token goes round all ranks twice",
    .generate = generate,
};
