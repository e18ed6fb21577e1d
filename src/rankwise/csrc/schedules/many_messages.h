/* Every rank's block along a tree of its own, in chunks: what large allgathers and reduce_scatters
 * consist of. */
#ifndef RANKWISE_MANY_MESSAGES_H
#define RANKWISE_MANY_MESSAGES_H

#include "pipeline.h"

/* Called for each block, beginning with that of p->rank; `tag` is the first of its tags. */
typedef void BlockStep(Schedule *s, const Problem *p, Pipeline *pipeline, int owner,
                       int64_t block_start, int tag);

/* The trees begin at the blocks' owners and enter each site at the rank that corresponds, so that
 * all nodes take part. */
void for_each_block(Schedule *s, const Problem *p, BlockStep *step);

#endif
