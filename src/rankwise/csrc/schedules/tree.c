/* Trees over ranks that are counted from their root, and what goes along them. */
#include "tree.h"
#include <stdlib.h>

void add_child(Tree *tree, int child)
{
    if (tree->count == tree->room) {
        const int more = tree->room ? 2 * tree->room : 8;
        int *larger = realloc(tree->children, (size_t)more * sizeof *larger);
        if (!larger)
            abort(); /* a few bytes: nothing else would work either */
        tree->children = larger;
        tree->room = more;
    }
    tree->children[tree->count++] = child;
}

void free_tree(Tree *tree)
{
    free(tree->children);
    *tree = (Tree){.parent = -1};
}

/* Ranks are counted from the root in trees, so that every rank can be it. */
static int from_root(const Problem *p)
{
    return (p->rank - p->root + p->ranks) % p->ranks;
}

static int rank_at(const Problem *p, int distance)
{
    return (distance + p->root) % p->ranks;
}

Tree linear_tree(const Problem *p)
{
    Tree tree = {.parent = p->rank == p->root ? -1 : p->root};
    for (int i = 1; tree.parent < 0 && i < p->ranks; i++)
        add_child(&tree, rank_at(p, i));
    return tree;
}

Tree chain_tree(const Problem *p)
{
    const int me = from_root(p);
    Tree tree = {.parent = me ? rank_at(p, me - 1) : -1};
    if (me + 1 < p->ranks)
        add_child(&tree, rank_at(p, me + 1));
    return tree;
}

Tree binary_tree(const Problem *p)
{
    const int me = from_root(p);
    Tree tree = {.parent = me ? rank_at(p, (me - 1) / 2) : -1};
    for (int64_t i = 2 * (int64_t)me + 1; i <= 2 * (int64_t)me + 2; i++)
        if (i < p->ranks)
            add_child(&tree, rank_at(p, (int)i));
    return tree;
}

/* In base k the parent of a rank has its lowest digit that is not zero set to zero. */
Tree knomial_tree(const Problem *p, int k)
{
    const int64_t me = from_root(p);
    int64_t step = 1;
    while (step < p->ranks && me % (step * k) == 0)
        step *= k;
    Tree tree = {.parent = me ? rank_at(p, (int)(me - me % (step * k))) : -1};
    for (step /= k; step > 0; step /= k)
        for (int digit = 1; digit < k; digit++)
            if (me + digit * step < p->ranks)
                add_child(&tree, rank_at(p, (int)(me + digit * step)));
    return tree;
}

int segments(int64_t length, int64_t segment)
{
    return segment > 0 && length > segment ? (int)((length + segment - 1) / segment) : 1;
}

void send_down(Schedule *s, const Tree *tree, Place at, int64_t length, int64_t segment, int tag,
               int after, int *ends)
{
    const int parts = segments(length, segment), first = s->count;
    const int64_t usual = parts > 1 ? segment : length;
    for (int i = 0; i < parts; i++) {
        const Place here = beyond(at, i * usual);
        const int64_t rest = length - i * usual, elements = rest < usual ? rest : usual;
        int ready = after;
        if (tree->parent >= 0)
            ready = add_receive(s, tree->parent, tag + i, here, elements, after);
        for (int c = 0; c < tree->count; c++)
            add_send(s, tree->children[c], tag + i, here, elements, ready);
    }
    if (ends)
        *ends = join_since(s, first, after);
}
