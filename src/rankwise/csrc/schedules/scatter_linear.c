/* The root sends each its block. P - 1 messages of one block, none of which waits for another, in
 * P - 1 rounds; (P - 1) m bytes out of the root. */
#include "blocks.h"

static void generate(Schedule *s, const Problem *p)
{
    const Place own = place(OUTPUT_MEMORY, 0);
    if (p->rank != p->root) {
        add_receive(s, p->root, 0, own, block_length(p, p->rank), NO_STEP);
        return;
    }
    Place from = place(INPUT_MEMORY, 0);
    for (int r = 0; r < p->ranks; r++) {
        const int64_t length = block_length(p, r);
        if (r == p->root)
            add_copy(s, from, own, length, NO_STEP);
        else
            add_send(s, r, 0, from, length, NO_STEP);
        from = beyond(from, length);
    }
}

ALGORITHM(linear, SCATTER) = {
    .description = "the root sends to everybody",
    .generate = generate,
};
