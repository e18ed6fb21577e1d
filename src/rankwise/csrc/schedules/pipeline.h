/* A message in chunks that go along several trees in turn, so many of them under way at once. */
#ifndef RANKWISE_PIPELINE_H
#define RANKWISE_PIPELINE_H

#include "spans.h"

/* A rank's place in the tree of one lane. Where each site has a tree of its own for sums, their
 * roots, the partners, exchange them all with all. */
typedef struct {
    Tree tree;
    int *
        partner; /* shape (partners): in the order in which all of them add up; NULL: no exchange */
    int partners, own; /* partner[own] is this rank */
    Place slots;       /* where sums arrive */
} Lane;

typedef struct {
    Lane *lane;
    int lanes;
    int64_t count; /* elements of the message */
    int chunks;    /* nearly equal; chunk i goes along lane i % lanes */
    int ahead;     /* chunk i waits until chunk i - ahead has left; a multiple of the lanes */
    int *gate;     /* shape (ahead): the step by which it has */
} Pipeline;

/* How many chunks a message has: of p->segment elements, else below the eager limits of most MPIs.
 */
int chunks_of(const Problem *p, int64_t count);

/* Of a block of each rank: so many for which these tags are enough, at least one. */
int chunks_within(int tags, int ranks);

/* Lanes that are zero; about `ahead` chunks under way, 0: as many as a long link needs. False, and
 * `s` refused: no memory. */
bool open_pipeline(Pipeline *pipeline, Schedule *s, int lanes, int64_t count, int chunks,
                   int ahead);
void close_pipeline(Pipeline *pipeline);

/* The roots of all sites' trees. */
void set_partners(Lane *lane, Schedule *s, const Sites *sites, int asked_lanes, int number,
                  int rank);

/* From the roots down the trees. All tags are from `tag` on: one a chunk. */
void hand_out(Schedule *s, Pipeline *pipeline, Place at, int tag);

/* Up the trees; the result is in `output` at the roots. One tag a chunk. */
void sum_up(Schedule *s, Pipeline *pipeline, Place input, Place output, int tag);

/* Up the trees, between partners, and down again. Three tags a chunk. */
void sum_up_and_hand_out(Schedule *s, Pipeline *pipeline, Place input, Place output);

#endif
