/* Trees over ranks that are counted from their root, and what goes along them. */
#ifndef RANKWISE_TREE_H
#define RANKWISE_TREE_H

#include "algorithm.h"

/* A rank's place in a tree; numbers are those of the communicator. */
typedef struct {
    int parent; /* -1: the root */
    int *children;
    int count, room;
} Tree;

/* The place of p->rank in a tree over all ranks with the root p->root. Memory for as many children
 * as this rank has; free_tree. */
Tree linear_tree(const Problem *p);         /* the root is everybody's parent */
Tree chain_tree(const Problem *p);          /* one after another */
Tree binary_tree(const Problem *p);         /* two children each, in the order of the ranks */
Tree knomial_tree(const Problem *p, int k); /* k = 2: binomial; the largest subtree first */
void add_child(Tree *tree, int child);
void free_tree(Tree *tree);

/* Data from the root down the tree, in segments, which follow one another: `at` is the memory on
 * this rank. Tags from `tag` on, one a segment; `after` comes before everything on this rank.
 * Where `ends` is given, it gets the step after which the memory may be written again. */
void send_down(Schedule *s, const Tree *tree, Place at, int64_t length, int64_t segment, int tag,
               int after, int *ends);

/* How many segments a message of `length` has: 1 if segment is 0. */
int segments(int64_t length, int64_t segment);

#endif
