/* Everybody sends its block to the root. P - 1 messages of one block, none of which waits for
 * another, in P - 1 rounds; (P - 1) m bytes into the root. */
#include "blocks.h"

static void generate(Schedule *s, const Problem *p)
{
    if (p->rank != p->root) {
        add_send(s, p->root, 0, place(INPUT_MEMORY, 0), block_length(p, p->rank), NO_STEP);
        return;
    }
    Place to = place(OUTPUT_MEMORY, 0);
    for (int r = 0; r < p->ranks; r++) {
        const int64_t length = block_length(p, r);
        if (r == p->root)
            add_copy(s, place(INPUT_MEMORY, 0), to, length, NO_STEP);
        else
            add_receive(s, r, 0, to, length, NO_STEP);
        to = beyond(to, length);
    }
}

ALGORITHM(linear, GATHER) = {
    .description = "everybody sends to the root",
    .generate = generate,
};
