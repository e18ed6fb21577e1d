/* Thakur, Rabenseifner and Gropp, Optimization of collective communication operations in MPICH,
 * IJHPCA 19(1), 2005: in round i a rank sends the block of the rank i on, and receives its own from
 * the rank i back. P (P - 1) messages of one block in P - 1 rounds; (P - 1) m bytes into each rank.
 *
 * What comes from lower ranks is reduced apart from what comes from higher ones, each from its
 * highest rank to its lowest, so that the order of the ranks is kept. */
#include "blocks.h"

static void generate(Schedule *s, const Problem *p)
{
    const int n = p->ranks, me = p->rank;
    const Place input = place(INPUT_MEMORY, 0), output = place(OUTPUT_MEMORY, 0);
    const int64_t length = block_length(p, me);
    Blocks blocks = blocks_from(p, p->counts, 0);
    const bool last = me == n - 1; /* nothing comes from higher ranks */
    const Place lower = last ? output : add_scratch(s, length);
    const Place arrived = n > 1 ? add_scratch(s, length) : output;
    int sent = NO_STEP;
    int done = add_copy(s, beyond(input, blocks_before(&blocks, me)), lower, length, NO_STEP);
    for (int i = 1; i < n; i++) {
        const int from = (me + n - i) % n, to = (me + i) % n;
        const bool starts = from == n - 1; /* the first of the higher ranks */
        const int received = add_receive(s, from, 0, starts ? output : arrived, length, done);
        sent = add_send(s, to, 0, beyond(input, blocks_before(&blocks, to)), block_length(p, to),
                        sent);
        done = starts ? received
                      : add_reduce(s, arrived, from < me ? lower : output, length, received);
    }
    if (!last)
        add_reduce(s, lower, output, length, done);
    free_blocks(&blocks);
}

ALGORITHM(pairwise, REDUCE_SCATTER) = {
    .description = "one partner after another; keeps the order of the ranks",
    .generate = generate,
};
