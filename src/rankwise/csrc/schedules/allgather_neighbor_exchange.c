/* Chen, Zhang, Zhang, Yuan and Han, Performance evaluation of allgather algorithms on terascale
 * Linux cluster with fast Ethernet, HPC Asia 2005: neighbours exchange what came last, alternately
 * on the left and the right. P^2/2 messages in P/2 rounds; (P - 1) m bytes into each rank. */
#include "blocks.h"

static void generate(Schedule *s, const Problem *p)
{
    const int n = p->ranks, side = p->rank % 2 ? -1 : 1;
    const Place all = place(OUTPUT_MEMORY, 0);
    Blocks blocks = blocks_from(p, p->counts, 0);
    const int64_t before = blocks_before(&blocks, p->rank);
    int done =
        add_copy(s, place(INPUT_MEMORY, 0), beyond(all, before), block_length(p, p->rank), NO_STEP);
    if (n > 1) {
        const int partner = p->rank + side;
        const int received =
            add_receive(s, partner, 0, beyond(all, blocks_before(&blocks, partner)),
                        block_length(p, partner), NO_STEP);
        add_send(s, partner, 0, beyond(all, before), block_length(p, p->rank), done);
        done = both(s, done, received);
    }
    /* From then on pairs of blocks, each starting at an even rank. What comes from the side of the
     * first partner lies ahead in that direction, and so for the other side. */
    int pair = p->rank & ~1, ahead[] = {pair, pair};
    for (int round = 1; round < n / 2; round++) {
        const int odd = round % 2, towards = odd ? -side : side;
        const int partner = (p->rank + towards + n) % n;
        ahead[odd] = (ahead[odd] + 2 * towards + n) % n;
        const Place from = beyond(all, blocks_before(&blocks, pair));
        const Place to = beyond(all, blocks_before(&blocks, ahead[odd]));
        const int received = add_receive(
            s, partner, round, to, blocks_length(&blocks, ahead[odd], ahead[odd] + 2), NO_STEP);
        add_send(s, partner, round, from, blocks_length(&blocks, pair, pair + 2), done);
        done = received; /* nothing came: nothing is sent on */
        pair = ahead[odd];
    }
    free_blocks(&blocks);
}

ALGORITHM(neighbor_exchange, ALLGATHER) = {
    .description = "neighbours exchange the newest blocks, on the left and the right in turn",
    .generate = generate,
    .even_ranks = true,
};
