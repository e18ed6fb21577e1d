#include "many_messages.h"
#include <stdlib.h>

enum { MOST_TAGS = 16384, MESSAGES_AHEAD = 96 };

static int chunks_of_block(const Problem *p, int owner)
{
    const int chunks = chunks_of(p, block_length(p, owner));
    const int most = p->ranks < MOST_TAGS ? MOST_TAGS / p->ranks : 1;
    return chunks < most ? chunks : most;
}

Tree tree_to_all(const Sites *sites, const Problem *p, int owner)
{
    return span_tree(sites, p->rank,
                     &(Span){.root = owner,
                             .sender = owner,
                             .lane = lane_of(sites, owner),
                             .asked_lanes = p->lanes > 0 ? p->lanes : p->ranks,
                             .star = FEW_MEMBERS});
}

/* p->rank's place on a way of up to three ranks, of which neighbours may be the same. */
static Tree path(const Problem *p, int from, int by, int to)
{
    Tree tree = {.parent = -1};
    if (p->rank == to && to != from)
        tree.parent = by == to ? from : by;
    else if (p->rank == by && by != from)
        tree.parent = from;
    if (p->rank == from && from != to)
        add_child(&tree, by == from ? to : by);
    else if (p->rank == by && by != to)
        add_child(&tree, to);
    return tree;
}

static int relay(const Sites *sites, const Problem *p, int owner)
{
    const int site = site_at(sites, owner);
    if (site == site_at(sites, p->root))
        return owner;
    return lane_end(sites, site, p->lanes, lane_of(sites, owner));
}

Tree path_to_root(const Sites *sites, const Problem *p, int owner)
{
    return path(p, owner, relay(sites, p, owner), p->root);
}

Tree path_from_root(const Sites *sites, const Problem *p, int owner)
{
    return path(p, p->root, relay(sites, p, owner), owner);
}

/* Starts and tags of all blocks follow from their lengths. */
static void each_block(Schedule *s, const Problem *p, const Sites *sites, int64_t *start, int *tag,
                       BlockTree *tree, BlockStep *step)
{
    start[0] = tag[0] = 0;
    for (int r = 0; r + 1 < p->ranks; r++) {
        start[r + 1] = start[r] + block_length(p, r);
        tag[r + 1] = tag[r] + chunks_of_block(p, r);
    }
    for (int i = 0; i < p->ranks && !s->failure; i++) {
        const int owner = (p->rank + p->ranks - i) % p->ranks;
        Pipeline f;
        if (open_pipeline(&f, s, 1, block_length(p, owner), chunks_of_block(p, owner),
                          MESSAGES_AHEAD / p->ranks + 1)) {
            f.lane[0].tree = tree(sites, p, owner);
            step(s, p, &f, owner, start[owner], tag[owner]);
        }
        close_pipeline(&f);
    }
}

void for_each_block(Schedule *s, const Problem *p, BlockTree *tree, BlockStep *step)
{
    Sites sites;
    if (!open_sites(&sites, s, p))
        return;
    int64_t *start = malloc((size_t)p->ranks * sizeof *start);
    int *tag = malloc((size_t)p->ranks * sizeof *tag);
    if (start && tag)
        each_block(s, p, &sites, start, tag, tree, step);
    else
        refuse(s, "no memory for the blocks of all ranks");
    free(start);
    free(tag);
    close_sites(&sites);
}
