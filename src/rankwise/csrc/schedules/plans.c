#include "plans.h"
#include "site_trees.h"
#include <stdlib.h>

static bool opened(Pipeline *f, Schedule *s, const Problem *p, Plan *plan)
{
    Sites sites;
    if (!open_sites(&sites, s, p))
        return false;
    *f = (Pipeline){0};
    plan(f, s, p, &sites);
    close_sites(&sites);
    return f->lane;
}

void bcast_along(Schedule *s, const Problem *p, Plan *plan)
{
    Pipeline f;
    if (opened(&f, s, p, plan))
        hand_out(s, &f, broadcast_place(p), 0);
    close_pipeline(&f);
}

void reduce_along(Schedule *s, const Problem *p, Plan *plan)
{
    Pipeline f;
    if (opened(&f, s, p, plan))
        sum_up(s, &f, place(INPUT_MEMORY, 0), place(OUTPUT_MEMORY, 0), 0);
    close_pipeline(&f);
}

void allreduce_along(Schedule *s, const Problem *p, Plan *plan)
{
    Pipeline f;
    if (opened(&f, s, p, plan))
        sum_up_and_hand_out(s, &f, place(INPUT_MEMORY, 0), place(OUTPUT_MEMORY, 0));
    close_pipeline(&f);
}

static int undivided(const Problem *p)
{
    return p->segment > 0 ? chunks_of(p, p->count) : 1;
}

/* A tree of each site, whose roots exchange their sums. */
static void exchange_lane(Lane *lane, Schedule *s, const Problem *p, const Sites *sites, int asked,
                          int number)
{
    const int root = lane_end(sites, site_at(sites, p->rank), asked, number);
    lane->tree = (Tree){.parent = -1};
    add_site_tree(&lane->tree, sites, p->rank, &(Entrance){root, root, number, FEW_MEMBERS});
    set_partners(lane, s, sites, asked, number, p->rank);
}

void one_crossing(Pipeline *f, Schedule *s, const Problem *p, const Sites *sites)
{
    if (!open_pipeline(f, s, 1, p->count, undivided(p), 0))
        return;
    if (p->operation == ALLREDUCE)
        exchange_lane(&f->lane[0], s, p, sites, 1, 0);
    else
        f->lane[0].tree = star_of_sites(sites, p, p->root, FEW_MEMBERS);
}

/* Karonis et al., Exploiting hierarchy in parallel computer networks to optimize collective
 * operation performance, IPDPS 2000: flat between sites, binomial on all levels within. */
void multilevel(Pipeline *f, Schedule *s, const Problem *p, const Sites *sites)
{
    if (open_pipeline(f, s, 1, p->count, undivided(p), 0))
        f->lane[0].tree = star_of_sites(sites, p, p->root, 0);
}

/* The ranks of the root's site that send to other sites: those on other nodes than the root's, so
 * that its interface carries the data once; where there are none, ranks beside the root, if more
 * than one is asked for. Returns how many, at least 1. */
static int find_senders(int *senders, const Sites *sites, const Problem *p, int root)
{
    const int site = site_at(sites, root), size = site_size(sites, site);
    const int wanted = p->lanes > 0 ? p->lanes : size;
    const int ends = p->lanes > 0 ? size : site_nodes(sites, site);
    int count = 0;
    for (int lane = 0; lane < ends && count < wanted; lane++) {
        const int rank = lane_rank(sites, site, lane);
        if (rank != root && !(p->network && share_node(p->network, rank, root)))
            senders[count++] = rank;
    }
    if (count)
        return count;
    senders[count++] = root;
    for (int i = 0; p->lanes > 0 && i < size && count < wanted; i++)
        if (site_rank(sites, site, i) != root)
            senders[count++] = site_rank(sites, site, i);
    return count;
}

enum { MOST_LANES = 192 };

/* Lanes after which the turn of all senders and all ends is over: their number times `rounds`. */
static int turns(int lanes, int senders, int rounds)
{
    const int all = lanes % senders ? lanes * senders : lanes;
    return (all * rounds <= MOST_LANES ? all : lanes > senders ? lanes : senders) * rounds;
}

/* Data enter the sites in turn, which hand them to the others: that no link carries them twice. */
static void relay_by(int *parent, int sites, int home, int turn)
{
    const int relay = (home + 1 + turn % (sites - 1)) % sites;
    for (int site = 0; site < sites; site++)
        parent[site] = site == relay ? home : relay;
    parent[home] = -1;
}

static void rooted_lanes(Pipeline *f, Schedule *s, const Problem *p, const Sites *sites, int chunks)
{
    const int count = sites->groups[0], home = site_at(sites, p->root);
    int *parent = malloc((size_t)count * sizeof *parent);
    int *senders = malloc((size_t)site_size(sites, home) * sizeof *senders);
    const int rounds = count > 2 && chunks >= 2 * count ? count - 1 : 1;
    const int number = senders ? find_senders(senders, sites, p, p->root) : 1;
    const int lanes = turns(lanes_of(sites, p->lanes), number, rounds);
    if (!parent || !senders)
        refuse(s, "no memory for the lanes of a schedule");
    else if (open_pipeline(f, s, lanes, p->count, chunks, 0))
        for (int i = 0; i < lanes; i++) {
            const int lane = i / rounds;
            if (rounds > 1)
                relay_by(parent, count, home, i);
            f->lane[i].tree =
                span_tree(sites, p->rank,
                          &(Span){p->root, senders[lane % number], rounds > 1 ? parent : NULL,
                                  p->lanes, lane, ANY_NUMBER});
        }
    free(senders);
    free(parent);
}

/* Sums of several sites' chunks are formed at the sites in turn: each link carries 2 m (C - 1) / C
 * bytes, as in a ring. */
static void summing_lanes(Pipeline *f, Schedule *s, const Problem *p, const Sites *sites,
                          int chunks)
{
    const int count = sites->groups[0], rounds = count > 2 && chunks >= 2 * count ? count : 1;
    const int lanes = turns(lanes_of(sites, p->lanes), 1, rounds);
    if (!open_pipeline(f, s, lanes, p->count, chunks, 0))
        return;
    for (int i = 0; i < lanes; i++) {
        const int lane = i / rounds, root = lane_end(sites, i % rounds, p->lanes, lane);
        if (rounds == 1)
            exchange_lane(&f->lane[i], s, p, sites, p->lanes, lane);
        else
            f->lane[i].tree =
                span_tree(sites, p->rank, &(Span){root, root, NULL, p->lanes, lane, ANY_NUMBER});
    }
}

void parallel_lanes(Pipeline *f, Schedule *s, const Problem *p, const Sites *sites)
{
    const int chunks = chunks_of(p, p->count);
    if (p->operation == ALLREDUCE)
        summing_lanes(f, s, p, sites, chunks);
    else
        rooted_lanes(f, s, p, sites, chunks);
}

enum { LONGEST_PATTERN = 8 };

/* How often the second of two trees has its turn in how many: returns the latter. */
static int pattern(const SiteTree trees[2], int found, int *second)
{
    *second = 0;
    if (found < 2)
        return 1;
    const double share =
        trees[1].bytes_per_second / (trees[0].bytes_per_second + trees[1].bytes_per_second);
    int best = 2;
    double least = 1;
    for (int length = 2; length <= LONGEST_PATTERN; length++) {
        const int turns = (int)(share * length + 0.5);
        const double off = turns > share * length ? turns / (double)length - share
                                                  : share - turns / (double)length;
        if (turns > 0 && off < least - 0.01) {
            least = off;
            best = length;
            *second = turns;
        }
    }
    return best;
}

static void lanes_of_trees(Pipeline *f, Schedule *s, const Problem *p, const Sites *sites,
                           const SiteTree trees[2], int found, int chunks)
{
    const bool rooted = p->operation != ALLREDUCE;
    int second, *senders = malloc((size_t)p->ranks * sizeof *senders);
    const int length = pattern(trees, found, &second);
    const int number = senders && rooted ? find_senders(senders, sites, p, p->root) : 1;
    const int all = turns(lanes_of(sites, p->lanes), number, length);
    const int lanes = chunks < 2 ? 1 : all;
    if (!senders)
        refuse(s, "no memory for the lanes of a schedule");
    else if (open_pipeline(f, s, lanes, p->count, chunks, 0))
        for (int i = 0; i < lanes; i++) {
            const int turn = i % length, lane = i / length;
            const SiteTree *tree = &trees[(turn + 1) * second / length > turn * second / length];
            int root = p->root, sender = root;
            if (!rooted)
                root = sender = lane_end(sites, tree->root, p->lanes, lane);
            else if (chunks > 1)
                sender = senders[lane % number];
            f->lane[i].tree = span_tree(
                sites, p->rank, &(Span){root, sender, tree->parent, p->lanes, lane, ANY_NUMBER});
        }
    free(senders);
}

void weighted_trees(Pipeline *f, Schedule *s, const Problem *p, const Sites *sites)
{
    const int chunks = chunks_of(p, p->count);
    const double bytes = (double)p->count * (double)(p->element_bytes > 0 ? p->element_bytes : 8);
    const Transfer transfer = {p->operation == ALLREDUCE ? -1 : site_at(sites, p->root), bytes,
                               bytes / (chunks > 0 ? chunks : 1)};
    SiteTree trees[2];
    const int found = best_site_trees(trees, sites, &transfer);
    if (!found)
        refuse(s, "no memory for the trees over sites");
    else
        lanes_of_trees(f, s, p, sites, trees, found, chunks);
    free_site_trees(trees);
}
