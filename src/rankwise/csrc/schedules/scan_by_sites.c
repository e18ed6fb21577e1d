#include "scan_by_sites.h"
#include <stdlib.h>

/* Once a site is left, no later rank is in it. */
const char *scan_objection(const Problem *p)
{
    const Network *network = p->network;
    if (!network || network->ranks != p->ranks)
        return NULL;
    char *left = calloc((size_t)p->ranks + (size_t)network->sites, 1);
    bool neighbours = left != NULL;
    for (int r = 1; neighbours && r < p->ranks; r++)
        if (site_of(network, r) != site_of(network, r - 1)) {
            left[site_of(network, r - 1)] = 1;
            neighbours = !left[site_of(network, r)];
        }
    free(left);
    return neighbours ? NULL : "it needs sites whose ranks follow one another";
}

enum { UP, ACROSS, DOWN };

/* At the one rank of a site that adds up. */
typedef struct {
    const Problem *p;
    const Sites *sites;
    int first_rank, size;
    Place sums;  /* shape (size, count): of the site's ranks up to each */
    int *summed; /* shape (size): the steps by which they are */
} Prefixes;

static Place sum_at(const Prefixes *x, int number)
{
    return beyond(x->sums, number * x->p->count);
}

/* Sites stand in the order of their numbers, which need not be that of their ranks. */
static int first_rank_of(const Sites *sites, int site)
{
    int first = site_rank(sites, site, 0);
    for (int i = 1; i < site_size(sites, site); i++)
        if (site_rank(sites, site, i) < first)
            first = site_rank(sites, site, i);
    return first;
}

static void add_up_site(Schedule *s, Prefixes *x)
{
    const Problem *p = x->p;
    for (int i = 0; i < x->size; i++) {
        const int rank = x->first_rank + i;
        x->summed[i] = rank == p->rank
                           ? add_copy(s, place(INPUT_MEMORY, 0), sum_at(x, i), p->count, NO_STEP)
                           : add_receive(s, rank, UP, sum_at(x, i), p->count, NO_STEP);
    }
    for (int i = 1; i < x->size; i++) {
        const int arrived = x->summed[i];
        x->summed[i] = add_reduce(s, sum_at(x, i - 1), sum_at(x, i), p->count, x->summed[i - 1]);
        depend(s, x->summed[i], arrived);
    }
}

/* The totals of earlier sites in order, by their first ranks: rank after rank, the next site is
 * that of the rank behind the last of this one. Returns the step by which `before` is their sum. */
static int add_up_sites(Schedule *s, const Prefixes *x, Place *before, int *exchanged)
{
    const Problem *p = x->p;
    const int first = s->count, total = x->summed[x->size - 1];
    int done = NO_STEP;
    for (int rank = 0; rank < p->ranks;) {
        const int site = site_at(x->sites, rank), peer = lane_rank(x->sites, site, 0);
        if (rank < x->first_rank) {
            const Place arrived = add_scratch(s, p->count);
            const int received = add_receive(s, peer, ACROSS, arrived, p->count, NO_STEP);
            if (done != NO_STEP) {
                done = add_reduce(s, *before, arrived, p->count, done);
                depend(s, done, received);
            } else {
                done = received;
            }
            *before = arrived;
        } else if (rank > x->first_rank) {
            add_send(s, peer, ACROSS, sum_at(x, x->size - 1), p->count, total);
        }
        rank += site_size(x->sites, site);
    }
    *exchanged = all_since(s, first, NO_STEP);
    return done;
}

/* What a rank gets is the sum up to it or, for an exscan, up to the one before. */
static void hand_out_sums(Schedule *s, const Prefixes *x, Place before, int after, int exchanged)
{
    const Problem *p = x->p;
    const int back = p->operation == EXSCAN;
    for (int i = x->size - 1; i >= 0; i--) {
        const int rank = x->first_rank + i, from = i - back;
        Place sum = from < 0 ? before : sum_at(x, from);
        int ready = from < 0 ? after : x->summed[from];
        if (rank == 0 && back)
            continue;
        if (from >= 0) {
            /* the sums after it are made of it, and the last one is sent */
            ready = both(s, ready, x->summed[x->size - 1]);
            ready = both(s, ready, exchanged);
            if (after != NO_STEP) {
                ready = both(s, ready, after);
                ready = add_reduce(s, before, sum, p->count, ready);
            }
        }
        if (rank == p->rank) /* its input has been read: the output may be the same memory */
            add_copy(s, sum, place(OUTPUT_MEMORY, 0), p->count, both(s, ready, x->summed[i]));
        else
            add_send(s, rank, DOWN, sum, p->count, ready);
    }
}

static void add_up(Schedule *s, Prefixes *x)
{
    Place before = x->sums;
    int exchanged;
    x->summed = malloc((size_t)x->size * sizeof *x->summed);
    if (!x->summed) {
        refuse(s, "no memory for the sums of a site's ranks");
        return;
    }
    x->sums = add_scratch(s, x->size * x->p->count);
    add_up_site(s, x);
    const int after = add_up_sites(s, x, &before, &exchanged);
    hand_out_sums(s, x, before, after, exchanged);
    free(x->summed);
}

void scan_by_sites(Schedule *s, const Problem *p)
{
    Sites sites;
    if (!p->count || !open_sites(&sites, s, p))
        return;
    const int site = site_at(&sites, p->rank), root = lane_rank(&sites, site, 0);
    if (p->rank == root) {
        add_up(s, &(Prefixes){.p = p,
                              .sites = &sites,
                              .first_rank = first_rank_of(&sites, site),
                              .size = site_size(&sites, site)});
    } else {
        const int sent = add_send(s, root, UP, place(INPUT_MEMORY, 0), p->count, NO_STEP);
        if (p->rank || p->operation == SCAN)
            add_receive(s, root, DOWN, place(OUTPUT_MEMORY, 0), p->count, sent);
    }
    close_sites(&sites);
}
