/* Trees over ranks that are counted from their root, and what goes along them. */
#ifndef RANKWISE_TREE_H
#define RANKWISE_TREE_H

#include "algorithm.h"

/* A rank's place in a tree; numbers are those of the communicator. */
typedef struct {
    int parent; /* -1: the root */
    int *children;
    int count, room;
    /* The last so many children stand for ranks before this one, in falling order like all
     * children: for reductions that keep the order. */
    int before;
} Tree;

/* The place of p->rank in a tree over all ranks with the root p->root. Memory for as many children
 * as this rank has; free_tree. */
Tree linear_tree(const Problem *p);         /* the root is everybody's parent */
Tree chain_tree(const Problem *p);          /* one after another */
Tree binary_tree(const Problem *p);         /* two children each, in the order of the ranks */
Tree knomial_tree(const Problem *p, int k); /* k = 2: binomial; the furthest child first */
Tree bine_tree(const Problem *p);           /* binomial, but partners are a third nearer */

/* These keep the order of the ranks: each subtree stands for consecutive ranks. The first has the
 * root p->root, the other rank p->ranks / 2. */
Tree linear_tree_in_order(const Problem *p);
Tree binary_tree_in_order(const Problem *p);

void add_child(Tree *tree, int child);
void free_tree(Tree *tree);

/* Data from the root down the tree, in segments, which follow one another: `at` is the memory on
 * this rank. Tags from `tag` on, one a segment; `after` comes before everything on this rank.
 * Where `ends` is given, it gets the step after which the memory may be written again. */
void send_down(Schedule *s, const Tree *tree, Place at, int64_t length, int64_t segment, int tag,
               int after, int *ends);

/* The same, but segment i waits for step after[i]. */
void send_down_each(Schedule *s, const Tree *tree, Place at, int64_t length, int64_t segment,
                    int tag, const int *after);

/* The other way: what all ranks have in `from` is reduced into `to` at the root; the others need no
 * `to`. `from` is only read, and may be the root's `to`. Tags as above. It keeps the order if
 * `commutative` is false and the tree keeps it. Returns the step after which this rank is done with
 * all its memory; where `ready` is given, shape (segments), it gets for each segment the step after
 * which the root has the sum, or another rank's `from` may be written. */
int reduce_up(Schedule *s, const Tree *tree, Place from, Place to, int64_t length, int64_t segment,
              bool commutative, int tag, int after, int *ready);

/* Messages without data up the tree and down again: a barrier. */
void signal_along(Schedule *s, Tree tree);

/* How many segments a message of `length` has: 1 if segment is 0. */
int segments(int64_t length, int64_t segment);

#endif
