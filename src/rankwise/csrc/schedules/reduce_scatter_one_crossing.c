#include "bundles.h"
#include "pipeline.h"

enum { UP, ACROSS, DOWN };

/* A site's sum of all blocks, at its coordinator; `ready` is the step by which it is there. */
static Place sum_of_site(Schedule *s, const Problem *p, const Sites *sites, const Bundles *b,
                         int *ready)
{
    const int root = lane_rank(sites, site_at(sites, p->rank), 0);
    const int64_t all = b->block[p->ranks];
    const Place sum = add_scratch(s, p->rank == root ? all : 0);
    Pipeline f;
    *ready = NO_STEP;
    if (open_pipeline(&f, s, 1, all, 1, 0)) {
        f.lane[0].tree = (Tree){.parent = -1};
        add_site_tree(&f.lane[0].tree, sites, p->rank, &(Entrance){root, root, 0, FEW_MEMBERS});
        sum_up(s, &f, place(INPUT_MEMORY, 0), sum, UP);
        *ready = f.gate[0];
        close_pipeline(&f);
    }
    return sum;
}

/* Coordinators send one another what they have of the other's blocks, and add up their own. */
static void exchange(Schedule *s, const Problem *p, const Sites *sites, const Bundles *b)
{
    const int site = site_at(sites, p->rank), count = sites->groups[0];
    int ready;
    const Place sums = sum_of_site(s, p, sites, b, &ready);
    const int64_t length = site_length(b, site);
    const Place own = site_bundle(s, b, site, sums);
    int done = own.offset == sums.offset + b->block[site_rank(sites, site, 0)]
                   ? ready
                   : pack_site(s, b, site, sums, own, -1, ready);
    for (int i = 1; i < count; i++) {
        const int other = (site + i) % count;
        const Place bundle = site_bundle(s, b, other, sums);
        const bool packs = bundle.offset != sums.offset + b->block[site_rank(sites, other, 0)];
        const int packed = packs ? pack_site(s, b, other, sums, bundle, -1, ready) : ready;
        add_send(s, lane_rank(sites, other, 0), ACROSS, bundle, site_length(b, other), packed);
    }
    for (int other = 0; other < count && length; other++)
        if (other != site) {
            const Place arrived = add_scratch(s, length);
            const int received =
                add_receive(s, lane_rank(sites, other, 0), ACROSS, arrived, length, NO_STEP);
            done = add_reduce(s, arrived, own, length, done);
            depend(s, done, received);
        }
    hand_out_blocks(s, p, b, site, own, DOWN, done);
}

static void generate(Schedule *s, const Problem *p)
{
    Sites sites;
    Bundles b;
    if (!open_sites(&sites, s, p))
        return;
    if (open_bundles(&b, s, p, &sites)) {
        const int root = lane_rank(&sites, site_at(&sites, p->rank), 0);
        int ready;
        if (p->rank == root) {
            exchange(s, p, &sites, &b);
        } else {
            sum_of_site(s, p, &sites, &b, &ready);
            add_receive(s, root, DOWN, place(OUTPUT_MEMORY, 0), block_length(p, p->rank), NO_STEP);
        }
        close_bundles(&b);
    }
    close_sites(&sites);
}

ALGORITHM(one_crossing, REDUCE_SCATTER) = {
    .description = "one rank of each site sends each other site the bundle of its sums",
    .generate = generate,
    .commutative_only = "it adds up site by site, whatever the order of the ranks",
    .for_networks = true,
};
