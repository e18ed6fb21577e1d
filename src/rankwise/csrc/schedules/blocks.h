/* Where the ranks' blocks lie, and how they are gathered and scattered along a binomial tree. */
#ifndef RANKWISE_BLOCKS_H
#define RANKWISE_BLOCKS_H

#include "algorithm.h"
#include "group.h"

/* The blocks in the order of the ranks first, first + 1, ..., ranks - 1, 0, ..., first - 1: what is
 * packed in this order starts with the block of rank `first`. */
typedef struct {
    int ranks, first;
    int64_t count;
    int64_t *before; /* shape (ranks + 1); NULL: all blocks have `count` elements */
} Blocks;

/* O(1) where `counts` is NULL, else O(ranks) time and memory; free_blocks. */
Blocks blocks_from(const Problem *p, const int64_t *counts, int first);
void free_blocks(Blocks *blocks);

/* Elements of the first `number` blocks, number = 0 ... ranks. */
int64_t blocks_before(const Blocks *blocks, int number);

/* Of blocks begin ... end - 1. */
int64_t blocks_length(const Blocks *blocks, int begin, int end);

/* The same for a phase, a block being a part. Only for blocks from rank 0 on. */
Parts block_parts(const Blocks *blocks);

/* Copies blocks begin ... end - 1 from `packed`, which holds them alone, to where they belong in
 * `all`, which holds all blocks in the order of the ranks; or the other way round. At most two
 * copies; returns the step after which they are done. */
int unpack_blocks(Schedule *s, const Blocks *blocks, int begin, int end, Place packed, Place all,
                  int after);
int pack_blocks(Schedule *s, const Blocks *blocks, int begin, int end, Place all, Place packed,
                int after);

/* All ranks' blocks, in `own` on each, to `all` of p->root along a binomial tree; and back. Each
 * message has tag `tag`, and comes after step `after`. Each returns the step after which this rank
 * has what it gets, and its memory may be written again. `all` counts at the root alone, `own` may
 * be the part of it. Messages of a rank: one to or from its parent, one a child. */
int gather_blocks(Schedule *s, const Problem *p, Place own, Place all, int tag, int after);
int scatter_blocks(Schedule *s, const Problem *p, Place all, Place own, int tag, int after);

#endif
