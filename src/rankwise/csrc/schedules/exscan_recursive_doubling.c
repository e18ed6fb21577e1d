/* Hillis and Steele, Data parallel algorithms, CACM 29(12), 1986, without the own: a rank sends the
 * sum of the last 2^i ranks and itself, and its result is the sum of what it receives. As many
 * messages as the scan: P ceil(log2 P) - 2^ceil(log2 P) + 1 of m bytes in ceil(log2 P) rounds. */
#include "algorithm.h"

static void generate(Schedule *s, const Problem *p)
{
    const Place result = place(OUTPUT_MEMORY, 0);
    const bool sends = p->rank + 1 < p->ranks;
    Place sum = place(INPUT_MEMORY, 0);
    int done = NO_STEP, received = NO_STEP, round = 0; /* done: since when there is `sum` */
    if (sends && p->rank) {
        sum = add_scratch(s, p->count);
        done = add_copy(s, place(INPUT_MEMORY, 0), sum, p->count, NO_STEP);
    }
    const Place arrived = add_scratch(s, p->rank > 1 ? p->count : 0);
    int ready = done; /* since when what is received may be written, and the result has its value */
    for (int64_t away = 1; away < p->ranks; away *= 2, round++) {
        int sent = NO_STEP;
        if (p->rank + away < p->ranks)
            sent = add_send(s, (int)(p->rank + away), round, sum, p->count, done);
        if (p->rank < away)
            continue;
        const Place here = round ? arrived : result;
        received = add_receive(s, (int)(p->rank - away), round, here, p->count, ready);
        ready = round ? add_reduce(s, here, result, p->count, received) : received;
        if (p->rank + 2 * away < p->ranks)
            done = add_reduce(s, here, sum, p->count, both(s, both(s, done, sent), received));
        ready = both(s, ready, done);
    }
}

ALGORITHM(recursive_doubling, EXSCAN) = {
    .description = "in round i each rank sends the sum of 2^i ranks to the one 2^i further on",
    .generate = generate,
};
