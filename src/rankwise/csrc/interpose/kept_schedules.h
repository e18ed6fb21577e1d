/* Schedules are kept from call to call, with what their executions have made. */
#ifndef RANKWISE_KEPT_SCHEDULES_H
#define RANKWISE_KEPT_SCHEDULES_H

#include "../execution/execution.h"
#include "table.h"

enum { KEPT_SCHEDULES = 16 };

/* A schedule with all that it was made from. */
typedef struct {
    const Rule *rule; /* NULL: none is kept here */
    int64_t count;
    int root, most_chunks;
    bool commutative;
    int64_t element_bytes;
    int users; /* nonblocking operations under way */
    Schedule schedule;
    Execution *memory;
} KeptSchedule;

/* Of one communicator, whose ranks and network are always the same. */
typedef struct KeptSchedules {
    KeptSchedule kept[KEPT_SCHEDULES];
    int next;
} KeptSchedules;

/* The schedule that `rule` makes for this problem, kept for the next time if its blocks are equal;
 * else, or without a place for it (NULL), it is made in `fresh`, which must be zero and stay alive.
 * NULL: there is none. */
const Schedule *schedule_of(KeptSchedules *schedules, const Rule *rule, const Problem *problem,
                            Schedule *fresh, KeptSchedule **kept);

void forget_schedules(KeptSchedules *schedules);

#endif
