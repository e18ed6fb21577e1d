/* Thakur, Rabenseifner and Gropp, Optimization of collective communication operations in MPICH,
 * IJHPCA 19(1), 2005: ranks half of the ranks apart exchange halves of the blocks, then ranks a
 * quarter apart quarters, ... For P a power of two, P log2 P messages in log2 P rounds and
 * (P - 1) m bytes into each rank. Otherwise, with Q the next lower power of two, P - Q ranks hand
 * all to a neighbour before and get their block from it afterwards: Q log2 Q + 2 (P - Q) messages
 * in log2 Q + 2 rounds. */
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
    const int64_t length = block_length(p, p->rank);
    const Place output = place(OUTPUT_MEMORY, 0);
    Place from = place(INPUT_MEMORY, 0);
    const int done =
        fold_in(s, &everybody, size, &from, blocks_before(&blocks, p->ranks), true, 0, NO_STEP);
    if (folded.me < 0) {
        add_receive(s, partner, 1, output, length, done);
    } else {
        const Pairing pairing = far_first(&folded);
        if (partner < 0) {
            halving_reduce_scatter(s, &pairing, &parts, from, output, true, 2, done);
        } else { /* the blocks of both: the partner's is the first */
            const int64_t others = block_length(p, partner);
            const Place pair = add_scratch(s, others + length);
            const int halved =
                halving_reduce_scatter(s, &pairing, &parts, from, pair, true, 2, done);
            add_send(s, partner, 1, pair, others, halved);
            add_copy(s, beyond(pair, others), output, length, halved);
        }
    }
    free_blocks(&blocks);
}

ALGORITHM(recursive_halving, REDUCE_SCATTER) = {
    .description = "halves of the blocks are exchanged with ranks ever nearer",
    .generate = generate,
    .commutative_only = "recursive halving reduces far ranks before near ones",
};
