#include "many_messages.h"

static void hand_out_block(Schedule *s, const Problem *p, Pipeline *f, int owner, int64_t start,
                           int tag)
{
    const Place input = place(INPUT_MEMORY, 0), output = place(OUTPUT_MEMORY, start);
    const int first = s->count;
    hand_out(s, f, owner == p->rank ? input : output, tag);
    if (owner == p->rank) /* in place it is a copy onto itself, which no send may see */
        add_copy(s, input, output, f->count, all_since(s, first, NO_STEP));
}

static void generate(Schedule *s, const Problem *p)
{
    for_each_block(s, p, tree_to_all, hand_out_block);
}

ALGORITHM(lanes, ALLGATHER) = {
    .description = "each block in chunks to the corresponding rank of each site, which hands it on",
    .generate = generate,
    .segmented = true,
    .lanes = true,
    .for_networks = true,
};
