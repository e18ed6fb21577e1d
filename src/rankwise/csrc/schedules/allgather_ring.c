/* Thakur, Rabenseifner and Gropp, Optimization of collective communication operations in MPICH,
 * IJHPCA 19(1), 2005: the blocks go round. P (P - 1) messages of one block in P - 1 rounds;
 * (P - 1) m bytes into each rank. */
#include "blocks.h"
#include "phases.h"

static void generate(Schedule *s, const Problem *p)
{
    const Group everybody = all_ranks(p);
    Blocks blocks = blocks_from(p, p->counts, 0);
    const Parts parts = block_parts(&blocks);
    const Place all = place(OUTPUT_MEMORY, 0);
    const int copied =
        add_copy(s, place(INPUT_MEMORY, 0), beyond(all, blocks_before(&blocks, p->rank)),
                 block_length(p, p->rank), NO_STEP);
    ring_allgather(s, &everybody, &parts, all, p->segment, 0, copied);
    free_blocks(&blocks);
}

ALGORITHM(ring, ALLGATHER) = {
    .description = "the blocks go round a ring",
    .generate = generate,
    .segmented = true,
};
