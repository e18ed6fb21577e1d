#include "sites.h"
#include <stdlib.h>
#include <string.h>

enum { MOST_LANES = 64 };

static size_t at(const Sites *t, int level, int place)
{
    return (size_t)level * (size_t)(t->ranks + 1) + (size_t)place;
}

static int group_number(const Sites *t, int level, int rank)
{
    if (level >= t->levels)
        return rank;
    return group_of(t->network, level, rank);
}

/* A stable counting sort by the groups of one level. */
static bool sort_by(Sites *t, int level, int *scratch)
{
    int most = 0;
    for (int r = 0; r < t->ranks; r++) {
        const int number = group_number(t, level, r);
        if (number < 0)
            return false;
        most = number > most ? number : most;
    }
    int *start = calloc((size_t)most + 2, sizeof *start);
    if (!start)
        return false;
    for (int r = 0; r < t->ranks; r++)
        start[group_number(t, level, r) + 1]++;
    for (int g = 0; g <= most; g++)
        start[g + 1] += start[g];
    for (int i = 0; i < t->ranks; i++)
        scratch[start[group_number(t, level, t->order[i])]++] = t->order[i];
    memcpy(t->order, scratch, (size_t)t->ranks * sizeof *scratch);
    free(start);
    return true;
}

/* A group ends where its own number or that of a group around it changes. */
static void count_groups(Sites *t, int level)
{
    int groups = 0;
    for (int i = 0; i < t->ranks; i++) {
        const int outer = level ? t->group[at(t, level - 1, i)] : 0;
        const bool begins =
            !i || (level && outer != t->group[at(t, level - 1, i - 1)]) ||
            group_number(t, level, t->order[i]) != group_number(t, level, t->order[i - 1]);
        if (begins)
            t->first[at(t, level, groups++)] = i;
        t->group[at(t, level, i)] = groups - 1;
    }
    t->first[at(t, level, groups)] = t->ranks;
    t->groups[level] = groups;
}

static bool sort_all(Sites *t)
{
    const size_t n = (size_t)t->ranks, all = (n + 1) * ((size_t)t->levels + 1);
    t->order = malloc(n * sizeof(int));
    t->position = malloc(n * sizeof(int));
    t->group = malloc(all * sizeof(int));
    t->first = malloc(all * sizeof(int));
    t->groups = calloc((size_t)t->levels + 1, sizeof(int));
    bool made = t->order && t->position && t->group && t->first && t->groups;
    for (int r = 0; made && r < t->ranks; r++)
        t->order[r] = r;
    for (int level = t->levels - 1; made && level >= 0; level--)
        made = sort_by(t, level, t->position);
    if (!made) {
        close_sites(t);
        return false;
    }
    for (int i = 0; i < t->ranks; i++)
        t->position[t->order[i]] = i;
    for (int level = 0; level <= t->levels; level++)
        count_groups(t, level);
    return true;
}

bool open_sites(Sites *t, Schedule *s, const Problem *p)
{
    const Network *network = p->network;
    *t = (Sites){.network = network, .ranks = p->ranks, .levels = 1, .flat = {1, p->ranks}};
    if (network && network->ranks != p->ranks) {
        refuse(s, "the network is one of another number of ranks");
        return false;
    }
    if (!network || !network->levels) {
        t->groups = t->flat;
        return true;
    }
    if (network->sorted) {
        *t = *network->sorted;
        return true;
    }
    t->levels = network->levels;
    if (!sort_all(t)) {
        refuse(s, "no memory for the groups of a network, or a group with a negative number");
        return false;
    }
    return true;
}

void close_sites(Sites *t)
{
    if (!t->kept && t->groups != t->flat) {
        free(t->order);
        free(t->position);
        free(t->group);
        free(t->first);
        free(t->groups);
    }
    *t = (Sites){0};
}

void sort_network(Network *network)
{
    Sites *t = network->levels && !network->sorted ? malloc(sizeof *t) : NULL;
    if (!t)
        return;
    *t = (Sites){.network = network, .ranks = network->ranks, .levels = network->levels};
    if (sort_all(t)) {
        t->kept = true;
        network->sorted = t;
    } else {
        free(t);
    }
}

void forget_sorted(Network *network)
{
    if (network->sorted) {
        network->sorted->kept = false;
        close_sites(network->sorted);
        free(network->sorted);
    }
    network->sorted = NULL;
}

int rank_at(const Sites *t, int position)
{
    return t->order ? t->order[position] : position;
}

int position_of(const Sites *t, int rank)
{
    return t->position ? t->position[rank] : rank;
}

/* The group of a position. */
static int group_there(const Sites *t, int level, int position)
{
    if (!t->group)
        return level ? position : 0;
    return t->group[at(t, level, position)];
}

int group_at(const Sites *t, int level, int rank)
{
    return group_there(t, level, position_of(t, rank));
}

int group_first(const Sites *t, int level, int group)
{
    if (!t->first)
        return level ? group : group * t->ranks;
    return t->first[at(t, level, group)];
}

int group_size(const Sites *t, int level, int group)
{
    return group_first(t, level, group + 1) - group_first(t, level, group);
}

int site_at(const Sites *t, int rank)
{
    return group_at(t, 0, rank);
}

int site_size(const Sites *t, int site)
{
    return group_size(t, 0, site);
}

int site_rank(const Sites *t, int site, int number)
{
    return rank_at(t, group_first(t, 0, site) + number);
}

bool are_neighbours(const Sites *t, int site)
{
    for (int i = 1; i < site_size(t, site); i++)
        if (site_rank(t, site, i) != site_rank(t, site, i - 1) + 1)
            return false;
    return true;
}

/* Where there is no level for nodes, each rank counts as one. */
static int node_level(const Sites *t)
{
    return t->levels > 1 ? t->levels - 1 : t->levels;
}

static int first_node(const Sites *t, int site)
{
    return group_there(t, node_level(t), group_first(t, 0, site));
}

int site_nodes(const Sites *t, int site)
{
    const int last = group_first(t, 0, site + 1) - 1;
    return group_there(t, node_level(t), last) - first_node(t, site) + 1;
}

int lane_rank(const Sites *t, int site, int lane)
{
    const int nodes = site_nodes(t, site), node = first_node(t, site) + lane % nodes;
    const int size = group_size(t, node_level(t), node);
    return rank_at(t, group_first(t, node_level(t), node) + lane / nodes % size);
}

int lane_of(const Sites *t, int rank)
{
    const int site = site_at(t, rank), node = group_at(t, node_level(t), rank);
    return (position_of(t, rank) - group_first(t, node_level(t), node)) * site_nodes(t, site) +
           node - first_node(t, site);
}

static int ends_of(const Sites *t, int site, int asked)
{
    if (asked <= 0)
        return site_nodes(t, site);
    return asked < site_size(t, site) ? asked : site_size(t, site);
}

int lane_end(const Sites *t, int site, int asked, int lane)
{
    return lane_rank(t, site, lane % ends_of(t, site, asked));
}

static int divisor(int a, int b)
{
    return b ? divisor(b, a % b) : a;
}

int lanes_of(const Sites *t, int asked)
{
    int together = 1, most = 1;
    for (int site = 0; site < t->groups[0]; site++) {
        const int ends = ends_of(t, site, asked);
        most = ends > most ? ends : most;
        if (together <= MOST_LANES)
            together *= ends / divisor(together, ends);
    }
    return together <= MOST_LANES ? together : most;
}

int all_since(Schedule *s, int first, int after)
{
    const int last = s->count;
    if (last - first < 2)
        return last > first ? first : after;
    const int join = add_join(s, after);
    for (int step = first; step < last; step++)
        depend(s, join, step);
    return join;
}
