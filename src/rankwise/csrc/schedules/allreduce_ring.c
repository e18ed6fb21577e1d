/* Patarasuk and Yuan, Bandwidth optimal all-reduce algorithms for clusters of workstations, JPDC
 * 69(2), 2009: each part goes round the ring once to be summed up and once to be handed out. */
#include "algorithm.h"

static void generate(Schedule *s, const Problem *p)
{
    const int n = p->ranks, next = (p->rank + 1) % n, before = (p->rank + n - 1) % n;
    const Place mine = place(OUTPUT_MEMORY, 0);
    const Place arrived = add_scratch(s, n > 1 ? part_length(p->count, n, 0) : 0);
    int done = add_copy(s, place(INPUT_MEMORY, 0), mine, p->count, NO_STEP);
    int sent = NO_STEP; /* what is sent in one round is overwritten in a later one */
    for (int round = 0; round < 2 * (n - 1); round++) {
        const bool sums = round < n - 1;
        const int out = (p->rank + 2 * n - round) % n, in = (out + n - 1) % n;
        const Place from = beyond(mine, part_start(p->count, n, out));
        const Place to = beyond(mine, part_start(p->count, n, in));
        const int64_t length = part_length(p->count, n, in);
        const int received =
            add_receive(s, before, round, sums ? arrived : to, length, both(s, done, sent));
        sent = add_send(s, next, round, from, part_length(p->count, n, out), done);
        done = sums ? add_reduce(s, arrived, to, length, received) : received;
    }
}

ALGORITHM(ring, ALLREDUCE) = {
    .description = "parts go round a ring, once to be reduced and once to be handed out",
    .generate = generate,
    .commutative_only = "a ring reduces in an order of its own",
};
