/* What the conformance programs share: data that can be foretold, and a count of what was wrong. */
#ifndef CHECKS_H
#define CHECKS_H

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef MPI_IN_PLACE
#define HAS_IN_PLACE 1
#else
#define HAS_IN_PLACE 0
#define MPI_IN_PLACE NULL
#endif
#define HAS_MPI3 (MPI_VERSION >= 3)

enum { GAP = 3, FILL = -77 }; /* a type with gaps holds its int and two that nobody may touch */

static int wrong, checked;

/* The communicator that is tried, its ranks, and elements of `type` every `stride` ints. */
typedef struct {
    MPI_Comm comm;
    int rank, ranks, stride;
    MPI_Datatype type;
    const char *name;
} Setting;

static int *memory(const Setting *s, int elements)
{
    const int ints = elements * s->stride + GAP;
    int *m = malloc((size_t)ints * sizeof *m);
    for (int i = 0; i < ints; i++)
        m[i] = FILL;
    return m;
}

/* Element `i` of what rank `rank` contributes. */
static int value(int rank, int i)
{
    return 1000 * (rank + 1) + i % 997;
}

static int *contribution(const Setting *s, int rank, int elements)
{
    int *m = memory(s, elements);
    for (int i = 0; i < elements; i++)
        m[i * s->stride] = value(rank, i);
    return m;
}

static void expect(const Setting *s, const char *what, const int *found, int place, int expected)
{
    checked++;
    if (found[place * s->stride] != expected && wrong++ < 10)
        fprintf(stderr, "%s on %s, rank %d of %d: element %d is %d, not %d\n", what, s->name,
                s->rank, s->ranks, place, found[place * s->stride], expected);
}

/* Nothing was written between the elements, or behind them. */
static inline void expect_gaps(const Setting *s, const char *what, const int *found, int elements)
{
    for (int i = 0; i < elements * s->stride + GAP; i++) {
        checked++;
        if ((i % s->stride || i >= elements * s->stride) && found[i] != FILL && wrong++ < 10)
            fprintf(stderr, "%s on %s, rank %d: wrote into the gap at %d\n", what, s->name, s->rank,
                    i);
    }
}

#endif
