#include "bundles.h"

enum { DOWN, ACROSS };

/* At a coordinator: one message from the root is its site's blocks. */
static void hand_out_bundle(Schedule *s, const Problem *p, const Bundles *b, int site)
{
    const Place bundle = add_scratch(s, site_length(b, site));
    const int ready = add_receive(s, p->root, ACROSS, bundle, site_length(b, site), NO_STEP);
    hand_out_blocks(s, p, b, site, bundle, DOWN, ready);
}

/* The far sites first. The own block is copied last: in place it is a copy onto itself, which no
 * send of a bundle may see. */
static void send_all(Schedule *s, const Problem *p, const Bundles *b)
{
    const Sites *sites = b->sites;
    const int home = site_at(sites, p->root);
    const Place blocks = place(INPUT_MEMORY, 0);
    for (int i = 1; i < sites->groups[0]; i++) {
        const int site = (home + i) % sites->groups[0];
        const Place bundle = site_bundle(s, b, site, blocks);
        int ready = NO_STEP;
        if (bundle.memory == SCRATCH_MEMORY)
            ready = pack_site(s, b, site, blocks, bundle, -1, NO_STEP);
        add_send(s, lane_rank(sites, site, 0), ACROSS, bundle, site_length(b, site), ready);
    }
    for (int i = 0; i < site_size(sites, home); i++) {
        const int rank = site_rank(sites, home, i);
        if (rank != p->rank)
            add_send(s, rank, DOWN, beyond(blocks, b->block[rank]), block_length(p, rank), NO_STEP);
    }
    add_copy(s, beyond(blocks, b->block[p->rank]), place(OUTPUT_MEMORY, 0),
             block_length(p, p->rank), NO_STEP);
}

static void generate(Schedule *s, const Problem *p)
{
    Sites sites;
    Bundles b;
    if (!open_sites(&sites, s, p))
        return;
    if (open_bundles(&b, s, p, &sites)) {
        const int site = site_at(&sites, p->rank), home = site_at(&sites, p->root);
        const int from = site == home ? p->root : lane_rank(&sites, site, 0);
        if (p->rank == p->root)
            send_all(s, p, &b);
        else if (p->rank == from)
            hand_out_bundle(s, p, &b, site);
        else
            add_receive(s, from, DOWN, place(OUTPUT_MEMORY, 0), block_length(p, p->rank), NO_STEP);
        close_bundles(&b);
    }
    close_sites(&sites);
}

ALGORITHM(one_crossing, SCATTER) = {
    .description = "the root sends one rank of each site the bundle of its site's blocks",
    .generate = generate,
    .for_networks = true,
    .needs_all_counts = true,
};
