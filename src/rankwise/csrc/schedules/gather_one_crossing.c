#include "bundles.h"

enum { UP, ACROSS };

/* At a coordinator: its site's blocks become one message to the root. */
static void send_bundle(Schedule *s, const Problem *p, const Bundles *b, int site)
{
    const Place bundle = add_scratch(s, site_length(b, site));
    const int first = s->count;
    for (int i = 0; i < site_size(b->sites, site); i++) {
        const int rank = site_rank(b->sites, site, i);
        const Place at = beyond(bundle, packed_start(b, rank) - site_start(b, site));
        if (rank == p->rank)
            add_copy(s, place(INPUT_MEMORY, 0), at, block_length(p, rank), NO_STEP);
        else
            add_receive(s, rank, UP, at, block_length(p, rank), NO_STEP);
    }
    const int ready = all_since(s, first, NO_STEP);
    add_send(s, p->root, ACROSS, bundle, site_length(b, site), ready);
}

static void receive_all(Schedule *s, const Problem *p, const Bundles *b)
{
    const Sites *sites = b->sites;
    const Place blocks = place(OUTPUT_MEMORY, 0);
    for (int site = 0; site < sites->groups[0]; site++) {
        if (site != site_at(sites, p->root)) {
            const Place bundle = site_bundle(s, b, site, blocks);
            const int ready = add_receive(s, lane_rank(sites, site, 0), ACROSS, bundle,
                                          site_length(b, site), NO_STEP);
            if (bundle.memory == SCRATCH_MEMORY)
                unpack_site(s, b, site, bundle, blocks, -1, ready);
            continue;
        }
        for (int i = 0; i < site_size(sites, site); i++) {
            const int rank = site_rank(sites, site, i);
            const Place at = beyond(blocks, b->block[rank]);
            if (rank == p->rank)
                add_copy(s, place(INPUT_MEMORY, 0), at, block_length(p, rank), NO_STEP);
            else
                add_receive(s, rank, UP, at, block_length(p, rank), NO_STEP);
        }
    }
}

static void generate(Schedule *s, const Problem *p)
{
    Sites sites;
    Bundles b;
    if (!open_sites(&sites, s, p))
        return;
    if (open_bundles(&b, s, p, &sites)) {
        const int site = site_at(&sites, p->rank), home = site_at(&sites, p->root);
        const int to = site == home ? p->root : lane_rank(&sites, site, 0);
        if (p->rank == p->root)
            receive_all(s, p, &b);
        else if (p->rank == to)
            send_bundle(s, p, &b, site);
        else
            add_send(s, to, UP, place(INPUT_MEMORY, 0), block_length(p, p->rank), NO_STEP);
        close_bundles(&b);
    }
    close_sites(&sites);
}

ALGORITHM(one_crossing, GATHER) = {
    .description = "one rank of each site sends the bundle of its site's blocks to the root",
    .generate = generate,
    .for_networks = true,
    .needs_all_counts = true,
};
