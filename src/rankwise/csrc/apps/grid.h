/* The grids of MG: cubes on a grid of ranks, each half as wide as the next finer one. Where a grid
 * has fewer points than ranks along an axis, every second, fourth ... rank has one. */
#ifndef RANKWISE_APPS_GRID_H
#define RANKWISE_APPS_GRID_H

#include "app.h"

typedef struct {
    int width;              /* points along each axis, of all ranks together */
    int step[3];            /* ranks from one that has points to the next, along x, y and z */
    int low[3], count[3];   /* the first of this rank's points, and how many */
    bool active;            /* it has points */
    bool held;              /* it has points, or is to be told those beside it */
    size_t size;            /* of an array, with a layer of neighbours' points around */
    int lower[3], upper[3]; /* the ranks beside it */
} Grid;

typedef struct {
    const AppRun *run;
    int ranks[3], here[3]; /* the grid of ranks, and this one's place */
    double *out, *in;      /* a face */
} Ranks;

void lay_out_ranks(Ranks *ranks, const AppRun *run);
void make_grid(const Ranks *ranks, Grid *grid, int width);
/* Fills the layer around a rank's points; `told` too: of ranks without points, for interpolation.
 */
void exchange_faces(const Ranks *ranks, const Grid *grid, double *array, bool told);

/* charges.c: array is 1 where ten random numbers are the largest of all, -1 at the ten smallest,
 * else 0: the right side of MG's equation. */
void place_charges(const Ranks *ranks, const Grid *grid, double *array);

static inline size_t point(const Grid *g, int x, int y, int z)
{
    return ((size_t)z * (size_t)(g->count[1] + 2) + (size_t)y) * (size_t)(g->count[0] + 2) +
           (size_t)x;
}

#endif
