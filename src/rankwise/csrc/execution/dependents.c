/* Which steps wait for each step, sorted by counting. */
#include "dependents.h"
#include <stdlib.h>

static const int *dependencies_of(const Schedule *schedule, int step)
{
    return schedule->dependency + schedule->steps[step].first_dependency;
}

bool make_dependents(Dependents *d, const Schedule *schedule)
{
    const int steps = schedule->count;
    d->first = calloc((size_t)steps + 2, sizeof *d->first);
    d->dependent = malloc(((size_t)schedule->dependency_count + 1) * sizeof *d->dependent);
    if (!d->first || !d->dependent)
        return false;
    /* Shifted by one: filling moves each step's place on to where the next one's begin. */
    int *const fill = d->first + 1;
    for (int i = 0; i < steps; i++)
        for (int k = 0; k < schedule->steps[i].dependencies; k++)
            fill[dependencies_of(schedule, i)[k] + 1]++;
    for (int i = 0; i < steps; i++)
        fill[i + 1] += fill[i];
    for (int i = 0; i < steps; i++)
        for (int k = 0; k < schedule->steps[i].dependencies; k++)
            d->dependent[fill[dependencies_of(schedule, i)[k]]++] = i;
    return true;
}

void free_dependents(Dependents *d)
{
    free(d->first);
    free(d->dependent);
}
