/* Patarasuk and Yuan, Bandwidth optimal all-reduce algorithms for clusters of workstations, JPDC
 * 69(2), 2009, its first half: each block goes round once and is summed up. P (P - 1) messages of
 * one block in P - 1 rounds; (P - 1) m bytes into each rank. */
#include "blocks.h"
#include "phases.h"

static void generate(Schedule *s, const Problem *p)
{
    const Group everybody = all_ranks(p);
    Blocks blocks = blocks_from(p, p->counts, 0);
    const Parts parts = block_parts(&blocks);
    ring_reduce_scatter(s, &everybody, &parts, place(INPUT_MEMORY, 0), place(OUTPUT_MEMORY, 0),
                        p->segment, 0, NO_STEP);
    free_blocks(&blocks);
}

ALGORITHM(ring, REDUCE_SCATTER) = {
    .description = "the blocks go round a ring to be reduced",
    .generate = generate,
    .commutative_only = "a ring reduces in an order of its own",
    .segmented = true,
};
