/* What collective algorithms are put together from: a group of ranks does one thing with a vector
 * that is divided into a part for each of them.
 *
 * In all phases `tag` is the first tag of the phase's messages and `after` the step that comes
 * before everything on this rank. Each returns the step after which this rank has its result and
 * all memory that the phase used may be used again. Rings take phase_tags, pairings up to 31
 * tags, all others one. */
#ifndef RANKWISE_PHASES_H
#define RANKWISE_PHASES_H

#include "group.h"

/* Tags of a ring in which parts are sent in segments of `segment` elements (0: whole). */
int phase_tags(const Parts *parts, int64_t segment);

/* Reduce-scatter in a ring, for operations that commute: member i's part i of the sum over all
 * members' vectors `from` gets to `to`. `from` is only read; `to` may be its part in it. n - 1
 * rounds, each with a message of one part, cut into segments of `segment` elements (0: whole).
 * Patarasuk and Yuan, JPDC 69(2), 2009. */
int ring_reduce_scatter(Schedule *s, const Group *group, const Parts *parts, Place from, Place to,
                        int64_t segment, int tag, int after);

/* Allgather in a ring: member i has part i of `at`, then all have all. As many messages; but none
 * with what a member has already where parts->scattered (Zhou et al., A bandwidth-saving
 * optimization for MPI broadcast collective operation, ICPPW 2015). */
int ring_allgather(Schedule *s, const Group *group, const Parts *parts, Place at, int64_t segment,
                   int tag, int after);

/* Reduce-scatter by recursive halving: part pairing->part of the sum of all `from` gets to `to`.
 * `from` is only read; `to` may be its part in it. log2 n rounds, (n - 1)/n of the vector sent.
 * It keeps the order where the pairing does and `commutative` is false. Thakur, Rabenseifner and
 * Gropp, IJHPCA 19(1), 2005. */
int halving_reduce_scatter(Schedule *s, const Pairing *pairing, const Parts *parts, Place from,
                           Place to, bool commutative, int tag, int after);

/* Allgather by recursive doubling, the way back: each has part pairing->part of `at`, then all.
 * With parts->scattered only for far_first. */
int doubling_allgather(Schedule *s, const Pairing *pairing, const Parts *parts, Place at, int tag,
                       int after);

/* Along a binomial tree: member 0 has all of `at`, then each has its part of it (and, if it is no
 * leaf, the parts of its subtree), and the way back. n - 1 messages, ceil(log2 n) rounds. */
int scatter_parts(Schedule *s, const Group *group, const Parts *parts, Place at, int tag,
                  int after);
int gather_parts(Schedule *s, const Group *group, const Parts *parts, Place at, int tag, int after);

/* Reduces the vectors of each pair of folded members at the one that stands for both (see fold):
 * there *from becomes where the sum is. Nothing happens at members without a pair. One message. */
int fold_in(Schedule *s, const Group *group, int size, Place *from, int64_t length,
            bool commutative, int tag, int after);

/* And the way back: `length` elements of `at` from the one that stands for both to the other. */
int fold_out(Schedule *s, const Group *group, int size, Place at, int64_t length, int tag,
             int after);

/* `arrived` op `mine`, or `mine` op `arrived`. The sum is in *mine afterwards and the other place
 * in *arrived: they may change roles. Both are written. */
int combine(Schedule *s, bool arrived_first, Place *mine, Place *arrived, int64_t length,
            bool commutative, int after);

#endif
