/* Which steps wait for each step: a schedule names the opposite direction. */
#ifndef RANKWISE_DEPENDENTS_H
#define RANKWISE_DEPENDENTS_H

#include "../schedules/schedule.h"

typedef struct {
    int *first; /* shape (steps + 1): where those of a step begin in `dependent` */
    int *dependent;
} Dependents;

/* Time and memory of the steps and their dependencies; false: there is no memory. */
bool make_dependents(Dependents *d, const Schedule *schedule);
void free_dependents(Dependents *d);

#endif
