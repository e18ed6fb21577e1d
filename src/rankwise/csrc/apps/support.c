/* What applications have in common: time, memory, their generator of random numbers, checks. */
#define _GNU_SOURCE
#include "app.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

double now_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void *memory(const AppRun *run, size_t bytes)
{
    void *found = calloc(1, bytes ? bytes : 1);
    if (found)
        return found;
    fprintf(stderr, "rankwise-apps: rank %d has no %.0f MB of memory\n", run->rank,
            (double)bytes / 1e6);
    MPI_Abort(MPI_COMM_WORLD, 3);
    abort();
}

double option(const AppRun *run, const char *name)
{
    const AppOption *one = run->options;
    while (strcmp(one->name, name) != 0)
        one++;
    return one->value;
}

bool is_power_of_two(int number)
{
    return number > 0 && (number & (number - 1)) == 0;
}

const char *refuse_unless_power_of_two(const AppRun *run)
{
    return is_power_of_two(run->ranks) ? NULL : "1, 2, 4, 8, 16 ... ranks";
}

int class_number(const AppRun *run)
{
    return (int)(strchr("SWABC", run->class_name) - "SWABC");
}

double begin_timed(const AppRun *run)
{
    MPI_Barrier(run->comm);
    return now_seconds();
}

void end_timed(AppRun *run, double begun)
{
    run->seconds = now_seconds() - begun;
}

void check(AppRun *run, const char *what, double found, double expected, double tolerance)
{
    if (run->rank != 0 || run->computing.skipped)
        return;
    if (run->verdict == NOT_CHECKED)
        run->verdict = RIGHT;
    if (fabs(found - expected) <= tolerance * fabs(expected) || run->verdict == WRONG)
        return; /* the first that is wrong is told */
    run->verdict = WRONG;
    snprintf(run->remark, sizeof run->remark, "%s is %.13e, and should be %.13e", what, found,
             expected);
}

void figure(AppRun *run, const char *name, double value)
{
    const size_t used = strlen(run->figures);
    if (run->rank == 0)
        snprintf(run->figures + used, sizeof run->figures - used, ", \"%s\": %.9g", name, value);
}

uint64_t nas_power(uint64_t multiplier, uint64_t steps)
{
    uint64_t power = 1;
    for (; steps; steps >>= 1, multiplier *= multiplier)
        if (steps & 1)
            power *= multiplier;
    return power & (NAS_MODULUS - 1);
}
