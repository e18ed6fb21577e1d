#include "many_messages.h"

static void pass_block(Schedule *s, const Problem *p, Pipeline *f, int owner, int64_t start,
                       int tag)
{
    const bool to_root = p->rank == p->root, passes = f->lane[0].tree.count > 0;
    if (owner == p->rank && to_root)
        add_copy(s, place(INPUT_MEMORY, 0), place(OUTPUT_MEMORY, start), f->count, NO_STEP);
    else if (owner == p->rank)
        hand_out(s, f, place(INPUT_MEMORY, 0), tag);
    else if (to_root)
        hand_out(s, f, place(OUTPUT_MEMORY, start), tag);
    else if (passes)
        hand_out(s, f, add_scratch(s, f->count), tag);
}

static void generate(Schedule *s, const Problem *p)
{
    for_each_block(s, p, path_to_root, pass_block);
}

ALGORITHM(lanes, GATHER) = {
    .description = "each block in chunks to the root by way of a few ranks of its site",
    .generate = generate,
    .segmented = true,
    .lanes = true,
    .for_networks = true,
    .needs_all_counts = true,
};
