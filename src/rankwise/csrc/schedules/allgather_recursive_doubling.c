/* Thakur, Rabenseifner and Gropp, Optimization of collective communication operations in MPICH,
 * IJHPCA 19(1), 2005: ranks 1, 2, 4, ... apart exchange all that they have. For P a power of two,
 * P log2 P messages in log2 P rounds and (P - 1) m bytes into each rank. Otherwise, with Q the next
 * lower power of two, P - Q ranks hand their block to a neighbour before and get everything from it
 * afterwards: Q log2 Q + 2 (P - Q) messages in log2 Q + 2 rounds. */
#include "blocks.h"
#include "phases.h"

static void generate(Schedule *s, const Problem *p)
{
    const Group everybody = all_ranks(p);
    const int size = power_of_two(p->ranks), partner = folded_with(&everybody, size);
    const Group folded = fold(&everybody, size);
    Blocks blocks = blocks_from(p, p->counts, 0);
    Parts parts = block_parts(&blocks);
    parts.parts = folded.size;
    parts.folded = folded.folded;
    const Place own = place(INPUT_MEMORY, 0), all = place(OUTPUT_MEMORY, 0);
    const Place mine = beyond(all, blocks_before(&blocks, p->rank));
    int done = add_copy(s, own, mine, block_length(p, p->rank), NO_STEP);
    if (folded.me < 0) {
        done = add_send(s, partner, 0, mine, block_length(p, p->rank), done);
    } else {
        if (partner >= 0)
            done = both(s, done,
                        add_receive(s, partner, 0, beyond(all, blocks_before(&blocks, partner)),
                                    block_length(p, partner), NO_STEP));
        const Pairing pairing = far_first(&folded);
        done = doubling_allgather(s, &pairing, &parts, all, 2, done);
    }
    fold_out(s, &everybody, size, all, blocks_before(&blocks, p->ranks), 1, done);
    free_blocks(&blocks);
}

ALGORITHM(recursive_doubling, ALLGATHER) = {
    .description = "ranks ever farther apart exchange all that they have",
    .generate = generate,
};
