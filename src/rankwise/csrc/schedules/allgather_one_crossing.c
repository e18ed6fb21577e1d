#include "bundles.h"
#include "spans.h"

enum { UP, ACROSS, DOWN };

/* A site's bundles are one message to its ranks: `all` has them, site by site. */
typedef struct {
    const Problem *p;
    const Sites *sites;
    const Bundles *bundles;
    Place all, blocks;
    int64_t total;
} Gathering;

static bool in_order(const Gathering *g)
{
    for (int i = 0; i < g->p->ranks; i++)
        if (rank_at(g->sites, i) != i)
            return false;
    return true;
}

/* The site's blocks come in, and its bundle goes to the other sites as theirs come. Returns what
 * to wait for. */
static int collect(Schedule *s, const Gathering *g)
{
    const int site = site_at(g->sites, g->p->rank), sites = g->sites->groups[0], first = s->count;
    for (int i = 0; i < site_size(g->sites, site); i++) {
        const int rank = site_rank(g->sites, site, i);
        const Place at = beyond(g->all, packed_start(g->bundles, rank));
        if (rank == g->p->rank)
            add_copy(s, place(INPUT_MEMORY, 0), at, block_length(g->p, rank), NO_STEP);
        else
            add_receive(s, rank, UP, at, block_length(g->p, rank), NO_STEP);
    }
    const int ready = all_since(s, first, NO_STEP), second = s->count;
    for (int i = 1; i < sites; i++) {
        const int other = (site + i) % sites, peer = lane_rank(g->sites, other, 0);
        add_receive(s, peer, ACROSS, beyond(g->all, site_start(g->bundles, other)),
                    site_length(g->bundles, other), NO_STEP);
        add_send(s, peer, ACROSS, beyond(g->all, site_start(g->bundles, site)),
                 site_length(g->bundles, site), ready);
    }
    return all_since(s, second, ready);
}

static void gather_all(Schedule *s, const Gathering *g)
{
    const int rank = g->p->rank, root = lane_rank(g->sites, site_at(g->sites, rank), 0);
    Tree tree = {.parent = -1};
    add_site_tree(&tree, g->sites, rank, &(Entrance){root, root, 0, FEW_MEMBERS});
    int ready;
    if (rank == root) {
        ready = collect(s, g);
    } else {
        ready = add_send(s, root, UP, place(INPUT_MEMORY, 0), block_length(g->p, rank), NO_STEP);
        ready = add_receive(s, tree.parent, DOWN, g->all, g->total, ready);
    }
    for (int i = 0; i < tree.count; i++)
        add_send(s, tree.children[i], DOWN, g->all, g->total, ready);
    for (int site = 0; g->all.memory == SCRATCH_MEMORY && site < g->sites->groups[0]; site++)
        unpack_site(s, g->bundles, site, beyond(g->all, site_start(g->bundles, site)), g->blocks,
                    -1, ready);
    free_tree(&tree);
}

static void generate(Schedule *s, const Problem *p)
{
    Sites sites;
    Bundles bundles;
    if (!open_sites(&sites, s, p))
        return;
    if (open_bundles(&bundles, s, p, &sites)) {
        Gathering g = {p,
                       &sites,
                       &bundles,
                       place(OUTPUT_MEMORY, 0),
                       place(OUTPUT_MEMORY, 0),
                       bundles.block[p->ranks]};
        if (!in_order(&g))
            g.all = add_scratch(s, g.total);
        gather_all(s, &g);
        close_bundles(&bundles);
    }
    close_sites(&sites);
}

ALGORITHM(one_crossing, ALLGATHER) = {
    .description =
        "one rank of each site exchanges the bundle of its site's blocks with all others",
    .generate = generate,
    .for_networks = true,
};
