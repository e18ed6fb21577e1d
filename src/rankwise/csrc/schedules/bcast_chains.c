/* The message in L parts at once, each of which goes down a chain of its own in S segments, every
 * other one the other way round: several pipelines as in Pjesivac-Grbovic et al., Cluster Computing
 * 10(2), 2007 (split). L (P - 1) S messages, (P - 1) m bytes, at most m from each rank; the root
 * feeds up to L ranks. */
#include "tree.h"

/* The chain of lane `lane`: it starts at the root, goes on a lane-th of the other ranks away, and
 * upwards in even lanes. */
static Tree chain_of_lane(const Problem *p, int lane, int lanes)
{
    const int others = p->ranks - 1, way = lane % 2 ? -1 : 1;
    const int start = others ? (int)((int64_t)lane * others / lanes) : 0;
    const int distance = (p->rank - p->root + p->ranks) % p->ranks;
    /* Other ranks are numbered 0 ... others - 1 from the root on; place: how far down the chain. */
    const int at = distance ? ((distance - 1 - start) * way % others + others) % others : -1;
    Tree tree = {.parent = -1};
    if (distance)
        tree.parent =
            at ? (p->root + 1 + (start + way * (at - 1) + others) % others) % p->ranks : p->root;
    if (at + 1 < others)
        add_child(&tree, (p->root + 1 + (start + way * (at + 1) + others) % others) % p->ranks);
    return tree;
}

static void generate(Schedule *s, const Problem *p)
{
    const int lanes = p->lanes > 0 ? p->lanes : 2;
    const int64_t longest = part_length(p->count, lanes, 0);
    const int64_t segment = segment_or(p, longest, 65536, 256);
    for (int lane = 0; lane < lanes; lane++) {
        Tree tree = chain_of_lane(p, lane, lanes);
        const Place at = beyond(broadcast_place(p), part_start(p->count, lanes, lane));
        send_down(s, &tree, at, part_length(p->count, lanes, lane), segment,
                  lane * segments(longest, segment), NO_STEP, NULL);
        free_tree(&tree);
    }
}

ALGORITHM(chains, BCAST) = {
    .description = "parts go down chains of their own at once, in both directions",
    .generate = generate,
    .segmented = true,
    .lanes = true,
};
