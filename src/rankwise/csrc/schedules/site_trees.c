#include "site_trees.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const Sites *sites;
    const Transfer *transfer;
    int count;
    double *rate, *delay; /* shape (count, count): what is free of a link, and its delay */
    double *cost;         /* shape (count): of Dijkstra's algorithm, and depths */
    int *work;            /* shape (count) */
} Links;

static double larger(double a, double b)
{
    return a > b ? a : b;
}

static double smaller(double a, double b)
{
    return a < b ? a : b;
}

static size_t pair(const Links *l, int a, int b)
{
    return (size_t)a * (size_t)l->count + (size_t)b;
}

/* The number by which the network knows a site. */
static int known_as(const Sites *sites, int site)
{
    const Network *network = sites->network;
    return network && network->levels ? group_of(network, 0, site_rank(sites, site, 0)) : 0;
}

static void read_links(Links *l)
{
    const Network *network = l->sites->network;
    for (int a = 0; a < l->count; a++)
        for (int b = 0; b < l->count; b++) {
            l->rate[pair(l, a, b)] = HUGE_VAL;
            l->delay[pair(l, a, b)] = 0;
            if (!network || a == b)
                continue;
            const int at = known_as(l->sites, a) * network->sites + known_as(l->sites, b);
            if (network->bytes_per_second && network->bytes_per_second[at] > 0)
                l->rate[pair(l, a, b)] = network->bytes_per_second[at];
            if (network->delay_seconds)
                l->delay[pair(l, a, b)] = network->delay_seconds[at];
        }
}

static double hop(const Links *l, int a, int b)
{
    return l->delay[pair(l, a, b)] + l->transfer->chunk_bytes / l->rate[pair(l, a, b)];
}

/* The depth of a site, or a negative number if it does not hang below the root. */
static double depth(const Links *l, const SiteTree *t, int site)
{
    double sum = 0;
    int steps = 0;
    for (; t->parent[site] >= 0 && steps < l->count; steps++) {
        sum += hop(l, t->parent[site], site);
        site = t->parent[site];
    }
    return site == t->root && steps < l->count ? sum : -1;
}

/* Sets the tree's time; a tree with a circle takes for ever. */
static void judge(const Links *l, SiteTree *t)
{
    const double interface = l->sites->network ? l->sites->network->node_bytes_per_second : 0;
    double deepest = 0;
    t->bytes_per_second = HUGE_VAL;
    t->seconds = HUGE_VAL;
    memset(l->work, 0, (size_t)l->count * sizeof *l->work);
    for (int site = 0; site < l->count; site++) {
        const int parent = t->parent[site];
        if (parent < 0)
            continue;
        const double far = depth(l, t, site);
        if (far < 0)
            return;
        deepest = larger(deepest, far);
        t->bytes_per_second = smaller(t->bytes_per_second, l->rate[pair(l, parent, site)]);
        l->work[parent]++;
    }
    for (int site = 0; interface > 0 && site < l->count; site++)
        if (l->work[site])
            t->bytes_per_second = smaller(t->bytes_per_second,
                                          interface * site_nodes(l->sites, site) / l->work[site]);
    const double ways = l->transfer->root < 0 ? 2 : 1;
    t->seconds = ways * deepest + l->transfer->bytes / t->bytes_per_second;
}

/* The tree of least delay over links of at least this rate (Dijkstra); the rest hangs below the
 * root. */
static void least_delay(const Links *l, SiteTree *t, double rate)
{
    for (int site = 0; site < l->count; site++) {
        l->cost[site] = site == t->root ? 0 : HUGE_VAL;
        l->work[site] = 0;
        t->parent[site] = site == t->root ? -1 : t->root;
    }
    for (int round = 0; round < l->count; round++) {
        int next = -1;
        for (int site = 0; site < l->count; site++)
            if (!l->work[site] && (next < 0 || l->cost[site] < l->cost[next]))
                next = site;
        l->work[next] = 1;
        for (int site = 0; site < l->count; site++) {
            const double cost = l->cost[next] + hop(l, next, site);
            if (!l->work[site] && l->rate[pair(l, next, site)] >= rate && cost < l->cost[site]) {
                l->cost[site] = cost;
                t->parent[site] = next;
            }
        }
    }
    judge(l, t);
}

/* Moves single sites to other parents as long as it helps. */
static void improve(const Links *l, SiteTree *t)
{
    for (bool better = true; better;) {
        better = false;
        for (int site = 0; site < l->count; site++)
            for (int to = 0; t->parent[site] >= 0 && to < l->count; to++) {
                const double before = t->seconds;
                const int from = t->parent[site];
                if (to == site || to == from)
                    continue;
                t->parent[site] = to;
                judge(l, t);
                if (t->seconds < 0.999 * before) {
                    better = true;
                } else {
                    t->parent[site] = from;
                    judge(l, t);
                }
            }
    }
}

static void keep_better(const Links *l, SiteTree *best, SiteTree *t)
{
    improve(l, t);
    if (t->seconds < best->seconds) {
        memcpy(best->parent, t->parent, (size_t)l->count * sizeof *t->parent);
        best->root = t->root;
        best->seconds = t->seconds;
        best->bytes_per_second = t->bytes_per_second;
    }
}

enum { MOST_RATES = 32 };

static int different_rates(const Links *l, double rates[MOST_RATES])
{
    int count = 1;
    rates[0] = 0;
    for (int i = 0; i < l->count * l->count; i++) {
        int known = 0;
        while (known < count && rates[known] != l->rate[i])
            known++;
        if (known == count && count < MOST_RATES && l->rate[i] < HUGE_VAL)
            rates[count++] = l->rate[i];
    }
    return count;
}

static void find_best(const Links *l, SiteTree *best, SiteTree *trial)
{
    double rates[MOST_RATES];
    const int count = different_rates(l, rates), fixed = l->transfer->root;
    best->seconds = HUGE_VAL;
    for (int root = 0; root < l->count; root++)
        for (int i = 0; i < count && (fixed < 0 || fixed == root); i++) {
            trial->root = root;
            least_delay(l, trial, rates[i]);
            keep_better(l, best, trial);
        }
}

/* Whether a second tree over what the first leaves free helps. */
static bool second_helps(Links *l, SiteTree trees[2], SiteTree *trial)
{
    const SiteTree *first = &trees[0];
    const double rate = first->bytes_per_second;
    if (l->count < 3 || !(rate < HUGE_VAL))
        return false;
    for (int site = 0; site < l->count; site++) {
        const int parent = first->parent[site];
        if (parent >= 0) {
            l->rate[pair(l, parent, site)] -= rate * 0.999; /* never quite nothing */
            l->rate[pair(l, site, parent)] -= rate * 0.999;
        }
    }
    find_best(l, &trees[1], trial);
    const double more = trees[1].bytes_per_second, bytes = l->transfer->bytes;
    const double slower = larger(first->seconds - bytes / rate, trees[1].seconds - bytes / more);
    return slower + bytes / (rate + more) < 0.9 * first->seconds;
}

int best_site_trees(SiteTree trees[2], const Sites *sites, const Transfer *transfer)
{
    const size_t n = (size_t)sites->groups[0];
    Links l = {.sites = sites, .transfer = transfer, .count = sites->groups[0]};
    SiteTree trial = {.parent = malloc(n * sizeof(int))};
    trees[0] = (SiteTree){.parent = malloc(n * sizeof(int))};
    trees[1] = (SiteTree){.parent = malloc(n * sizeof(int))};
    l.rate = malloc(n * n * sizeof(double));
    l.delay = malloc(n * n * sizeof(double));
    l.cost = malloc(n * sizeof(double));
    l.work = malloc(n * sizeof(int));
    int found = 0;
    if (trial.parent && trees[0].parent && trees[1].parent && l.rate && l.delay && l.cost &&
        l.work) {
        read_links(&l);
        find_best(&l, &trees[0], &trial);
        found = second_helps(&l, trees, &trial) ? 2 : 1;
    }
    free(trial.parent);
    free(l.rate);
    free(l.delay);
    free(l.cost);
    free(l.work);
    return found;
}

void free_site_trees(SiteTree trees[2])
{
    free(trees[0].parent);
    free(trees[1].parent);
    trees[0] = trees[1] = (SiteTree){0};
}
