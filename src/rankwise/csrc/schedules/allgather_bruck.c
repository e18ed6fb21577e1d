/* Bruck, Ho, Kipnis, Upfal and Weathersby, Efficient algorithms for all-to-all communications in
 * multiport message-passing systems, IEEE TPDS 8(11), 1997: each round doubles the blocks that a
 * rank has, which follow its own. P ceil(log2 P) messages in ceil(log2 P) rounds; (P - 1) m bytes
 * into each rank. */
#include "blocks.h"

static void generate(Schedule *s, const Problem *p)
{
    const int n = p->ranks;
    const Place own = place(INPUT_MEMORY, 0), all = place(OUTPUT_MEMORY, 0);
    Blocks blocks = blocks_from(p, p->counts, p->rank);
    /* Rank 0's own order is the order of the ranks. */
    const Place mine = p->rank ? add_scratch(s, blocks_before(&blocks, n)) : all;
    int done = add_copy(s, own, mine, blocks_before(&blocks, 1), NO_STEP);
    int tag = 0;
    for (int64_t have = 1; have < n; have *= 2) {
        const int distance = (int)have, more = distance < n - distance ? distance : n - distance;
        const int to = (p->rank + n - distance) % n, from = (p->rank + distance) % n;
        const int received =
            add_receive(s, from, tag, beyond(mine, blocks_before(&blocks, distance)),
                        blocks_length(&blocks, distance, distance + more), NO_STEP);
        add_send(s, to, tag, mine, blocks_before(&blocks, more), done);
        done = both(s, done, received);
        tag++;
    }
    if (p->rank)
        unpack_blocks(s, &blocks, 0, n, mine, all, done);
    free_blocks(&blocks);
}

ALGORITHM(bruck, ALLGATHER) = {
    .description = "twice as many blocks each round, from ranks ever farther away",
    .generate = generate,
};
