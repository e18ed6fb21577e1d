#include "spans.h"

/* The leader of one of the groups that lie beside the one that `head` leads. */
static int leader(const Sites *t, int level, int group, const Entrance *e)
{
    if (group_at(t, level, e->preferred) == group)
        return e->preferred;
    return rank_at(t, group_first(t, level, group) + e->lane % group_size(t, level, group));
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
        m.first = group_at(t, level + 1, rank_at(t, group_first(t, level, group)));
        m.count =
            group_at(t, level + 1, rank_at(t, group_first(t, level, group + 1) - 1)) - m.first + 1;
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
