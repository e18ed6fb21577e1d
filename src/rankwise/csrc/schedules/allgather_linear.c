/* Everybody sends its block to everybody, starting with the next rank so that nobody is sent to by
 * all at once. P (P - 1) messages of one block, none of which waits for another, in P - 1 rounds;
 * (P - 1) m bytes into each rank. */
#include "blocks.h"

static void generate(Schedule *s, const Problem *p)
{
    const int n = p->ranks;
    const Place own = place(INPUT_MEMORY, 0), all = place(OUTPUT_MEMORY, 0);
    Blocks blocks = blocks_from(p, p->counts, 0);
    const int64_t mine = block_length(p, p->rank);
    const int copied =
        add_copy(s, own, beyond(all, blocks_before(&blocks, p->rank)), mine, NO_STEP);
    for (int i = 1; i < n; i++) {
        const int from = (p->rank + n - i) % n;
        add_receive(s, from, 0, beyond(all, blocks_before(&blocks, from)), block_length(p, from),
                    NO_STEP);
        add_send(s, (p->rank + i) % n, 0, own, mine, copied);
    }
    free_blocks(&blocks);
}

ALGORITHM(linear, ALLGATHER) = {
    .description = "everybody sends to everybody",
    .generate = generate,
};
