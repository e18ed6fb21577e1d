/* Every rank's block along a tree of its own, in chunks: what an operation on large blocks consists
 * of. */
#ifndef RANKWISE_MANY_MESSAGES_H
#define RANKWISE_MANY_MESSAGES_H

#include "pipeline.h"

/* The place of p->rank in the tree of a block. */
typedef Tree BlockTree(const Sites *sites, const Problem *p, int owner);

/* From its owner to all, and into each site at the rank that corresponds: all nodes take part. */
BlockTree tree_to_all;

/* Between the owner and p->root, by way of the end of the owner's lane where it is in another site
 * than the root. Owner first, or root first. */
BlockTree path_to_root, path_from_root;

/* Called for each block, beginning with that of p->rank; `tag` is the first of its tags. */
typedef void BlockStep(Schedule *s, const Problem *p, Pipeline *pipeline, int owner,
                       int64_t block_start, int tag);

void for_each_block(Schedule *s, const Problem *p, BlockTree *tree, BlockStep *step);

#endif
