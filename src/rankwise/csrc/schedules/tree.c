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
    for (step /= k; step > 0; step /= k) {
        const int64_t last = (p->ranks - 1 - me) / step;
        for (int64_t digit = last < k - 1 ? last : k - 1; digit > 0; digit--)
            add_child(&tree, rank_at(p, (int)(me + digit * step)));
    }
    return tree;
}

/* Of a number in base -2, the digits as bits: no more of them than `bits`. */
static unsigned negabinary(int number, int bits)
{
    const unsigned odd = 0xaaaaaaaaU; /* the digits that count as negative */
    return (((unsigned)number + odd) ^ odd) & ((1U << bits) - 1);
}

static int from_negabinary(unsigned digits)
{
    const unsigned odd = 0xaaaaaaaaU;
    return (int)((digits ^ odd) - odd);
}

/* De Sensi et al., Bine trees, SC 2025: a rank's parent has all those last digits flipped in base
 * -2 that are alike. Ranks beyond the largest power of two hang below the first ones. */
Tree bine_tree(const Problem *p)
{
    const int me = from_root(p);
    int bits = 0;
    while (bits < 30 && 2 << bits <= p->ranks)
        bits++;
    const int size = 1 << bits;
    if (me >= size)
        return (Tree){.parent = rank_at(p, me - size)};
    const unsigned digits = negabinary(me, bits);
    int alike = bits;
    if (me)
        for (alike = 1; alike < bits && (digits >> alike & 1) == (digits & 1);)
            alike++;
    Tree tree = {.parent = -1};
    for (int flips = alike; flips > 0; flips--) {
        const unsigned other = digits ^ ((1U << flips) - 1);
        const int rank = rank_at(p, from_negabinary(other) & (size - 1));
        if (me && flips == alike)
            tree.parent = rank;
        else
            add_child(&tree, rank);
    }
    if (me + size < p->ranks)
        add_child(&tree, rank_at(p, me + size));
    return tree;
}

Tree linear_tree_in_order(const Problem *p)
{
    Tree tree = {.parent = p->rank == p->root ? -1 : p->root};
    if (tree.parent >= 0)
        return tree;
    for (int rank = p->ranks - 1; rank >= 0; rank--)
        if (rank != p->root)
            add_child(&tree, rank);
    tree.before = p->root;
    return tree;
}

/* The middle of a run of ranks has the middles of both halves as its children. */
Tree binary_tree_in_order(const Problem *p)
{
    int begin = 0, end = p->ranks, middle = end / 2;
    Tree tree = {.parent = -1};
    while (middle != p->rank) {
        tree.parent = middle;
        if (p->rank < middle)
            end = middle;
        else
            begin = middle + 1;
        middle = begin + (end - begin) / 2;
    }
    if (middle + 1 < end)
        add_child(&tree, middle + 1 + (end - middle - 1) / 2);
    if (begin < middle)
        add_child(&tree, begin + (middle - begin) / 2);
    tree.before = begin < middle;
    return tree;
}

int segments(int64_t length, int64_t segment)
{
    return segment > 0 && length > segment ? (int)((length + segment - 1) / segment) : 1;
}
