#include "spans.h"

enum { UP, ACROSS, DOWN };

static int meet_others(Schedule *s, const Problem *p, const Sites *sites, int after)
{
    const int site = site_at(sites, p->rank), first = s->count;
    for (int i = 1; i < sites->groups[0]; i++)
        add_signal(s, lane_rank(sites, (site + i) % sites->groups[0], 0), ACROSS, after);
    for (int i = 1; i < sites->groups[0]; i++)
        add_signal_receive(s, lane_rank(sites, (site + i) % sites->groups[0], 0), ACROSS, NO_STEP);
    return all_since(s, first, after);
}

static void generate(Schedule *s, const Problem *p)
{
    Sites sites;
    if (!open_sites(&sites, s, p))
        return;
    const int root = lane_rank(&sites, site_at(&sites, p->rank), 0);
    Tree tree = {.parent = -1};
    add_site_tree(&tree, &sites, p->rank, &(Entrance){root, root, 0, FEW_MEMBERS});
    const int first = s->count;
    for (int i = 0; i < tree.count; i++)
        add_signal_receive(s, tree.children[i], UP, NO_STEP);
    int ready = all_since(s, first, NO_STEP);
    if (tree.parent < 0) {
        ready = meet_others(s, p, &sites, ready);
    } else {
        ready = add_signal(s, tree.parent, UP, ready);
        ready = add_signal_receive(s, tree.parent, DOWN, ready);
    }
    for (int i = 0; i < tree.count; i++)
        add_signal(s, tree.children[i], DOWN, ready);
    free_tree(&tree);
    close_sites(&sites);
}

ALGORITHM(one_crossing, BARRIER) = {
    .description = "one rank of each site waits for its own, then for all others'",
    .generate = generate,
    .for_networks = true,
};
