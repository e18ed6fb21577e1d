/* What a schedule file says, and the schedules of it. */
#ifndef RANKWISE_FIXED_SCHEDULE_H
#define RANKWISE_FIXED_SCHEDULE_H

#include "algorithm.h"

/* What a file says. `all` has the steps of all ranks, in chunks; first[r] is the first one of rank
 * r, and numbers in `dependency` count from there. */
typedef struct {
    Algorithm algorithm; /* which it is: the first member */
    int ranks, root, chunks;
    bool multiple;
    Schedule all;
    int *first; /* shape (ranks + 1) */
    int64_t *scratch;
} FixedSchedule;

/* Algorithm.generate_fixed of such a file. Other roots of bcast and reduce than the file's are
 * served by turning the ranks. */
void generate_fixed(Schedule *s, const Algorithm *algorithm, const Problem *p);

#endif
