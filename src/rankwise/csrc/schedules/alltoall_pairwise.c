/* Thakur, Rabenseifner and Gropp, Optimization of collective communication operations in MPICH,
 * IJHPCA 19(1), 2005: in round i a rank exchanges with rank XOR i if the number of ranks is a power
 * of two, else sends i ranks on and receives from i ranks back. P (P - 1) messages in P - 1 rounds;
 * (P - 1) m bytes into each rank. */
#include "blocks.h"

static void generate(Schedule *s, const Problem *p)
{
    const int n = p->ranks, me = p->rank;
    const bool pairs = (n & (n - 1)) == 0;
    const Place input = place(INPUT_MEMORY, 0), output = place(OUTPUT_MEMORY, 0);
    Blocks in = blocks_from(p, p->counts, 0), out = blocks_from(p, p->send_counts, 0);
    add_copy(s, beyond(input, blocks_before(&out, me)), beyond(output, blocks_before(&in, me)),
             blocks_length(&in, me, me + 1), NO_STEP);
    int done = NO_STEP;
    for (int i = 1; i < n; i++) {
        const int from = pairs ? me ^ i : (me + n - i) % n, to = pairs ? me ^ i : (me + i) % n;
        const int first = s->count;
        add_receive(s, from, 0, beyond(output, blocks_before(&in, from)),
                    blocks_length(&in, from, from + 1), done);
        add_send(s, to, 0, beyond(input, blocks_before(&out, to)), blocks_length(&out, to, to + 1),
                 done);
        done = join_since(s, first, done);
    }
    free_blocks(&in);
    free_blocks(&out);
}

ALGORITHM(pairwise, ALLTOALL) = {
    .description = "one partner after another",
    .generate = generate,
};
