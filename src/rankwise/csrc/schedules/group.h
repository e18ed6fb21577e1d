/* Ranks that work together, how a vector is divided among them, and whom each meets when they
 * exchange in pairs. */
#ifndef RANKWISE_GROUP_H
#define RANKWISE_GROUP_H

#include "algorithm.h"

/* Any ranks in any order, or all of them: then it takes no memory. */
typedef struct {
    const int *ranks; /* of the members; NULL: member i is rank (first + i) % all */
    int size, me;     /* own number among them; -1: this rank is none of them */
    int first, all;
    int folded; /* see fold */
} Group;

Group all_ranks(const Problem *p);
Group all_ranks_from(const Problem *p, int first); /* member 0 is rank `first` */
Group some_ranks(const int *ranks, int size, int me);
int member(const Group *group, int number); /* its rank */

/* The group without some members, so that `size` of them are left (at least half): of the first
 * pairs (0, 1), (2, 3), ... the second member stands for both. */
Group fold(const Group *group, int size);

/* The member's rank with whom this rank is one of these pairs; -1: with none. */
int folded_with(const Group *group, int size);

/* The largest power of two that is not above the group's size. */
int power_of_two(int size);

/* A vector in as many parts as a group has members. */
typedef struct {
    int64_t length;
    int parts;
    const int64_t *starts; /* shape (units + 1), units = parts + folded; NULL: nearly equal units */
    int folded;            /* the first parts are two units each, as those of a folded group */
    bool scattered; /* allgather: each has already what scatter_parts gives it, and gets no more */
} Parts;

Parts equal_parts(int64_t length, int parts);
int64_t start_of_part(const Parts *parts, int part);           /* for part = parts->parts its end */
int64_t parts_between(const Parts *parts, int begin, int end); /* elements of begin ... end - 1 */

/* Whom a rank meets, round by round, where halves of a vector are exchanged: in round i the ranks
 * that still share parts part & ~(size - 1) ... + size - 1, with size = parts >> i, pair up, and
 * each keeps its half. In the end a rank has part `part`. */
typedef struct {
    int rounds, part;
    int partner[31];
    bool before[31]; /* whether what the partner has comes before in the order of the ranks */
} Pairing;

/* For groups whose size is a power of two. */
Pairing far_first(const Group *group);  /* half the group away, then a quarter, ...: part = me */
Pairing near_first(const Group *group); /* 1 away, then 2, 4, ...: this keeps the order */

/* 1 away, then 1 the other way, 3, 5 the other way, 11, ...: even members to the one side, odd ones
 * to the other. De Sensi et al., Swing, NSDI 2024, section 3. */
Pairing swing(const Group *group);

#endif
