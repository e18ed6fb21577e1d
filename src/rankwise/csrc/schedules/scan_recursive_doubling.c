/* Hillis and Steele, Data parallel algorithms, CACM 29(12), 1986 (simultaneous binomial trees in
 * Sanders and Traff, EuroPVM/MPI 2006): in round i each rank has the sum of the last 2^i ranks and
 * sends it to the one 2^i further on. ceil(log2 P) rounds, in each a message of m bytes from rank r
 * if r + 2^i < P: P ceil(log2 P) - 2^ceil(log2 P) + 1 messages in all. */
#include "algorithm.h"

static void generate(Schedule *s, const Problem *p)
{
    const Place sum = place(OUTPUT_MEMORY, 0);
    const Place arrived[] = {add_scratch(s, p->rank > 0 ? p->count : 0),
                             add_scratch(s, p->rank > 1 ? p->count : 0)};
    int done = add_copy(s, place(INPUT_MEMORY, 0), sum, p->count, NO_STEP), round = 0;
    int free[] = {NO_STEP, NO_STEP};
    for (int64_t away = 1; away < p->ranks; away *= 2, round++) {
        int sent = NO_STEP;
        if (p->rank + away < p->ranks)
            sent = add_send(s, (int)(p->rank + away), round, sum, p->count, done);
        if (p->rank >= away) {
            const Place here = arrived[round % 2];
            const int received =
                add_receive(s, (int)(p->rank - away), round, here, p->count, free[round % 2]);
            done = add_reduce(s, here, sum, p->count, both(s, both(s, done, sent), received));
            free[round % 2] = done;
        }
    }
}

ALGORITHM(recursive_doubling, SCAN) = {
    .description = "in round i each rank sends the sum of 2^i ranks to the one 2^i further on",
    .generate = generate,
};
