/* Where the ranks' blocks lie, and how they are gathered and scattered along a binomial tree. */
#include "blocks.h"
#include "tree.h"
#include <stdlib.h>

Blocks blocks_from(const Problem *p, const int64_t *counts, int first)
{
    Blocks blocks = {.ranks = p->ranks, .first = first, .count = p->count};
    if (!counts)
        return blocks;
    blocks.before = malloc(((size_t)p->ranks + 1) * sizeof *blocks.before);
    if (!blocks.before)
        abort(); /* as much as the counts themselves: nothing else would work either */
    blocks.before[0] = 0;
    for (int i = 0; i < p->ranks; i++)
        blocks.before[i + 1] = blocks.before[i] + counts[(first + i) % p->ranks];
    return blocks;
}

void free_blocks(Blocks *blocks)
{
    free(blocks->before);
    *blocks = (Blocks){0};
}

int64_t blocks_before(const Blocks *blocks, int number)
{
    return blocks->before ? blocks->before[number] : number * blocks->count;
}

int64_t blocks_length(const Blocks *blocks, int begin, int end)
{
    return blocks_before(blocks, end) - blocks_before(blocks, begin);
}

Parts block_parts(const Blocks *blocks)
{
    return (Parts){.length = blocks_before(blocks, blocks->ranks),
                   .parts = blocks->ranks,
                   .starts = blocks->before};
}

/* Where block `number` starts among all blocks in the order of the ranks. */
static int64_t start_in_order(const Blocks *b, int number)
{
    const int last = b->ranks - b->first; /* the number of rank 0's block */
    return number < last ? blocks_before(b, number) + blocks_length(b, last, b->ranks)
                         : blocks_length(b, last, number);
}

/* A run of blocks is one piece of memory in the order of the ranks, or two around rank 0. */
static int move(Schedule *s, const Blocks *b, int begin, int end, Place packed, Place all,
                bool packs, int after)
{
    const int zero = b->ranks - b->first, first = s->count;
    const int middle = begin < zero && zero < end ? zero : end;
    const int edges[] = {begin, middle, end};
    for (int i = 0; i < 2 && edges[i] < edges[i + 1]; i++) {
        const Place here = beyond(packed, blocks_length(b, begin, edges[i]));
        const Place there = beyond(all, start_in_order(b, edges[i]));
        add_copy(s, packs ? there : here, packs ? here : there,
                 blocks_length(b, edges[i], edges[i + 1]), after);
    }
    return join_since(s, first, after);
}

int unpack_blocks(Schedule *s, const Blocks *blocks, int begin, int end, Place packed, Place all,
                  int after)
{
    return move(s, blocks, begin, end, packed, all, false, after);
}

int pack_blocks(Schedule *s, const Blocks *blocks, int begin, int end, Place all, Place packed,
                int after)
{
    return move(s, blocks, begin, end, packed, all, true, after);
}

/* Ranks are counted from the root: the subtree of rank i has the ranks i ... subtree_end(i) - 1. */
static int subtree_end(int ranks, int i)
{
    const int size = i ? i & -i : ranks;
    return size < ranks - i ? i + size : ranks;
}

static int from_root(const Problem *p, int rank)
{
    return (rank - p->root + p->ranks) % p->ranks;
}

/* Whether this run is one piece of memory in the order of the ranks. */
static bool in_one_piece(const Blocks *b, int begin, int end)
{
    const int zero = b->ranks - b->first;
    return zero <= begin || end <= zero;
}

static int gather_at_root(Schedule *s, const Blocks *b, const Tree *tree, const Problem *p,
                          Place own, Place all, int tag, int after)
{
    const int first = s->count;
    add_copy(s, own, beyond(all, start_in_order(b, 0)), blocks_length(b, 0, 1), after);
    for (int c = tree->count - 1; c >= 0; c--) { /* the smallest subtree is ready first */
        const int begin = from_root(p, tree->children[c]), end = subtree_end(p->ranks, begin);
        const int64_t length = blocks_length(b, begin, end);
        const bool direct = in_one_piece(b, begin, end);
        const Place to = direct ? beyond(all, start_in_order(b, begin)) : add_scratch(s, length);
        const int received = add_receive(s, tree->children[c], tag, to, length, after);
        if (!direct)
            unpack_blocks(s, b, begin, end, to, all, received);
    }
    return join_since(s, first, after);
}

static int gather_below(Schedule *s, const Blocks *b, const Tree *tree, const Problem *p, Place own,
                        int tag, int after)
{
    const int me = from_root(p, p->rank), end = subtree_end(p->ranks, me);
    if (!tree->count)
        return add_send(s, tree->parent, tag, own, blocks_length(b, me, end), after);
    const Place mine = add_scratch(s, blocks_length(b, me, end));
    const int first = s->count;
    add_copy(s, own, mine, blocks_length(b, me, me + 1), after);
    for (int c = tree->count - 1; c >= 0; c--) {
        const int begin = from_root(p, tree->children[c]);
        add_receive(s, tree->children[c], tag, beyond(mine, blocks_length(b, me, begin)),
                    blocks_length(b, begin, subtree_end(p->ranks, begin)), after);
    }
    const int ready = join_since(s, first, after);
    return add_send(s, tree->parent, tag, mine, blocks_length(b, me, end), ready);
}

int gather_blocks(Schedule *s, const Problem *p, Place own, Place all, int tag, int after)
{
    Tree tree = knomial_tree(p, 2);
    Blocks blocks = blocks_from(p, p->counts, p->root);
    const int done = tree.parent < 0 ? gather_at_root(s, &blocks, &tree, p, own, all, tag, after)
                                     : gather_below(s, &blocks, &tree, p, own, tag, after);
    free_blocks(&blocks);
    free_tree(&tree);
    return done;
}

static void scatter_at_root(Schedule *s, const Blocks *b, const Tree *tree, const Problem *p,
                            Place all, Place own, int tag, int after)
{
    int ready = after;
    for (int c = 0; c < tree->count; c++) {
        const int begin = from_root(p, tree->children[c]), end = subtree_end(p->ranks, begin);
        const int64_t length = blocks_length(b, begin, end);
        Place from = beyond(all, start_in_order(b, begin));
        if (!in_one_piece(b, begin, end)) {
            from = add_scratch(s, length);
            ready =
                pack_blocks(s, b, begin, end, all, from, after); /* nor may smaller ones go first */
        }
        add_send(s, tree->children[c], tag, from, length, ready);
    }
    add_copy(s, beyond(all, start_in_order(b, 0)), own, blocks_length(b, 0, 1), after);
}

static void scatter_below(Schedule *s, const Blocks *b, const Tree *tree, const Problem *p,
                          Place own, int tag, int after)
{
    const int me = from_root(p, p->rank), end = subtree_end(p->ranks, me);
    const int64_t length = blocks_length(b, me, end);
    const Place mine = tree->count ? add_scratch(s, length) : own;
    const int received = add_receive(s, tree->parent, tag, mine, length, after);
    for (int c = 0; c < tree->count; c++) {
        const int begin = from_root(p, tree->children[c]);
        add_send(s, tree->children[c], tag, beyond(mine, blocks_length(b, me, begin)),
                 blocks_length(b, begin, subtree_end(p->ranks, begin)), received);
    }
    add_copy(s, mine, own, blocks_length(b, me, me + 1), received);
}

int scatter_blocks(Schedule *s, const Problem *p, Place all, Place own, int tag, int after)
{
    const int first = s->count;
    Tree tree = knomial_tree(p, 2);
    Blocks blocks = blocks_from(p, p->counts, p->root);
    if (tree.parent < 0)
        scatter_at_root(s, &blocks, &tree, p, all, own, tag, after);
    else
        scatter_below(s, &blocks, &tree, p, own, tag, after);
    free_blocks(&blocks);
    free_tree(&tree);
    return join_since(s, first, after);
}
