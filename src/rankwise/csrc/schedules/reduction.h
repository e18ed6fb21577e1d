/* Ways to reduce that several algorithms share; an algorithm is one of them with a tree or a
 * pairing of its own. */
#ifndef RANKWISE_REDUCTION_H
#define RANKWISE_REDUCTION_H

#include "group.h"
#include "tree.h"

/* Reduce up a tree whose root is rank `top`, which sends the sum to p->root if this is another. */
void reduce_on_tree(Schedule *s, const Problem *p, Tree tree, int top, int64_t segment);

/* Allreduce: up a tree and down again, segment by segment. */
void allreduce_on_tree(Schedule *s, const Problem *p, Tree tree, int64_t segment);

/* Allreduce: reduce-scatter by halving and allgather by doubling, with the partners of `pairing`.
 */
void allreduce_by_halving(Schedule *s, const Problem *p, Pairing (*pairing)(const Group *));

/* Allreduce: groups of k exchange all they have, then groups of these, ... . It keeps the order. */
void allreduce_by_exchange(Schedule *s, const Problem *p, int k);

#endif
