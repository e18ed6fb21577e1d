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
    return t->network && t->network->levels ? group_of(t->network, level, rank) : 0;
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

bool open_sites(Sites *t, Schedule *s, const Problem *p)
{
    *t = (Sites){.network = p->network, .ranks = p->ranks};
    if (p->network && p->network->ranks != p->ranks) {
        refuse(s, "the network is one of another number of ranks");
        return false;
    }
    t->levels = p->network && p->network->levels ? p->network->levels : 1;
    const size_t n = (size_t)p->ranks, all = (n + 1) * ((size_t)t->levels + 1);
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
        refuse(s, "no memory for the groups of a network, or a group with a negative number");
        close_sites(t);
        return false;
    }
    for (int i = 0; i < t->ranks; i++)
        t->position[t->order[i]] = i;
    for (int level = 0; level <= t->levels; level++)
        count_groups(t, level);
    return true;
}

void close_sites(Sites *t)
{
    free(t->order);
    free(t->position);
    free(t->group);
    free(t->first);
    free(t->groups);
    *t = (Sites){0};
}

static int group_at(const Sites *t, int level, int rank)
{
    return t->group[at(t, level, t->position[rank])];
}

static int first_of(const Sites *t, int level, int group)
{
    return t->first[at(t, level, group)];
}

static int size_of(const Sites *t, int level, int group)
{
    return first_of(t, level, group + 1) - first_of(t, level, group);
}

int site_at(const Sites *t, int rank)
{
    return group_at(t, 0, rank);
}

int site_size(const Sites *t, int site)
{
    return size_of(t, 0, site);
}

int site_rank(const Sites *t, int site, int number)
{
    return t->order[first_of(t, 0, site) + number];
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
    return t->group[at(t, node_level(t), first_of(t, 0, site))];
}

int site_nodes(const Sites *t, int site)
{
    return t->group[at(t, node_level(t), first_of(t, 0, site + 1) - 1)] - first_node(t, site) + 1;
}

int lane_rank(const Sites *t, int site, int lane)
{
    const int nodes = site_nodes(t, site), node = first_node(t, site) + lane % nodes;
    const int size = size_of(t, node_level(t), node);
    return t->order[first_of(t, node_level(t), node) + lane / nodes % size];
}

int lane_of(const Sites *t, int rank)
{
    const int site = site_at(t, rank), node = group_at(t, node_level(t), rank);
    return (t->position[rank] - first_of(t, node_level(t), node)) * site_nodes(t, site) + node -
           first_node(t, site);
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

/* The leader of one of the groups that lie beside the one that `head` leads. */
static int leader(const Sites *t, int level, int group, const Entrance *e)
{
    if (group_at(t, level, e->preferred) == group)
        return e->preferred;
    return t->order[first_of(t, level, group) + e->lane % size_of(t, level, group)];
}

/* The groups within one, counted from the one of its leader, and how they are served. */
typedef struct {
    const Sites *t;
    const Entrance *e;
    int level, head, first, count, top;
} Members;

static int member_leader(const Members *m, int number)
{
    const int group = m->first + (m->top - m->first + number) % m->count;
    return group == m->top ? m->head : leader(m->t, m->level, group, m->e);
}

static void add_member(Tree *tree, const Members *m, int number)
{
    const bool star = m->count - 1 <= m->e->star;
    int step = 1;
    if (number) {
        while (number % (2 * step) == 0)
            step *= 2;
        tree->parent = member_leader(m, star ? 0 : number - step);
    } else {
        while (step < m->count)
            step *= 2;
    }
    if (star) {
        for (int i = 1; !number && i < m->count; i++)
            add_child(tree, member_leader(m, i));
        return;
    }
    for (step /= 2; step > 0; step /= 2)
        if (number + step < m->count)
            add_child(tree, member_leader(m, number + step));
}

void add_site_tree(Tree *tree, const Sites *t, int rank, const Entrance *e)
{
    int head = e->entry;
    for (int level = 0; level < t->levels; level++) {
        const int group = group_at(t, level, rank), own = group_at(t, level + 1, rank);
        Members m = {.t = t, .e = e, .level = level + 1, .head = head};
        m.first = t->group[at(t, level + 1, first_of(t, level, group))];
        m.count = t->group[at(t, level + 1, first_of(t, level, group + 1) - 1)] - m.first + 1;
        m.top = group_at(t, level + 1, head);
        const int number = (own - m.top + m.count) % m.count;
        head = member_leader(&m, number);
        if (head == rank)
            add_member(tree, &m, number);
    }
}

int span_entry(const Sites *t, const Span *span, int site)
{
    if (site == site_at(t, span->root))
        return span->sender;
    return lane_end(t, site, span->asked_lanes, span->lane);
}

/* The root is above the sender, whoever was above the root before. */
static void put_on_top(Tree *tree, int rank, const Span *span)
{
    int kept = 0;
    for (int c = 0; c < tree->count; c++)
        if (tree->children[c] != span->root)
            tree->children[kept++] = tree->children[c];
    tree->count = kept;
    if (rank == span->sender)
        tree->parent = span->root;
    if (rank == span->root) {
        tree->parent = -1;
        add_child(tree, span->sender); /* first, since its way is the longest */
        for (int c = tree->count - 1; c > 0; c--)
            tree->children[c] = tree->children[c - 1];
        tree->children[0] = span->sender;
    }
}

Tree span_tree(const Sites *t, int rank, const Span *span)
{
    const int site = site_at(t, rank), home = site_at(t, span->root);
    const Entrance e = {span_entry(t, span, site), site == home ? span->root : -1, span->lane,
                        span->star};
    Tree tree = {.parent = -1};
    if (rank == e.entry)
        for (int other = 0; other < t->groups[0]; other++)
            if (other != home && (span->parent ? span->parent[other] : home) == site)
                add_child(&tree, span_entry(t, span, other));
    add_site_tree(&tree, t, rank,
                  &(Entrance){e.entry, e.preferred < 0 ? e.entry : e.preferred, e.lane, e.star});
    if (site != home && rank == e.entry)
        tree.parent = span_entry(t, span, span->parent ? span->parent[site] : home);
    if (site == home && span->sender != span->root)
        put_on_top(&tree, rank, span);
    return tree;
}

Tree star_of_sites(const Sites *t, const Problem *p, int root, int star)
{
    return span_tree(t, p->rank,
                     &(Span){.root = root, .sender = root, .asked_lanes = 1, .star = star});
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
