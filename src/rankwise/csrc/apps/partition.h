/* The multi-partition scheme of SP and BT: the cube is cut into p^3 cells, and each of p^2 ranks
 * has p of them, one in every layer across any axis: all ranks have work at every stage of a sweep.
 * (J. Bruno and P. Cappello, "Implementing the beam and warming method on the hypercube", 1988.) */
#ifndef RANKWISE_APPS_PARTITION_H
#define RANKWISE_APPS_PARTITION_H

#include "flow.h"

typedef struct {
    Flow flow;
    int side;               /* cells along an axis, and of a rank */
    Box *cells;             /* from the lowest along z */
    int lower[3], upper[3]; /* the ranks of the cells beside, the same for all of its cells */
    double *out[6], *in[6]; /* faces, or what is told about lines */
} Partition;

/* The lines of all cells along an axis are solved by elimination from the lowest cell to the
 * highest, and by substitution back. `from` tells about each line what the cell before found, NULL
 * at the boundary; `to` takes what the next one is to be told, NULL where there is none. */
typedef void Solve(void *program, int cell, int axis, const double *from, double *to);
typedef struct {
    int forwards, backwards; /* values that are told about a line */
    int lines;               /* in every message; 0: as many as there are */
    Solve *eliminate, *substitute;
    void (*finish)(void *program, int cell, int axis); /* once the next is told; NULL: nothing */
} Sweep;

/* NULL for a square number of ranks that leaves three points or more to each cell along an axis;
 * else which would do. */
const char *refuse_partition(const AppRun *run, int width);
void make_partition(Partition *partition, AppRun *run, int width, int steps, double step_seconds);
void free_partition(Partition *partition);
/* Ranks exchange the faces of u, then each finds its cells' rhs. */
void find_all_rhs(Partition *partition);
void sweep(Partition *partition, const Sweep *how, void *program, int axis);
/* The whole benchmark: steps from the initial values, the first of them untimed, and the checks. */
void run_steps(Partition *partition, Program which, void (*step)(void *program), void *program);

/* For each line of points along AXIS that is not on the boundary; Z, Y, X are of its first one. */
#define EACH_LINE(BOX, AXIS, X, Y, Z)                                                              \
    for (int z_end_ = (AXIS) == 2 ? 1 : (BOX)->end[2], Z = (AXIS) == 2 ? 0 : (BOX)->first[2];      \
         Z < z_end_; Z++)                                                                          \
        for (int y_end_ = (AXIS) == 1 ? 1 : (BOX)->end[1], Y = (AXIS) == 1 ? 0 : (BOX)->first[1];  \
             Y < y_end_; Y++)                                                                      \
            for (int x_end_ = (AXIS) == 0 ? 1 : (BOX)->end[0],                                     \
                     X = (AXIS) == 0 ? 0 : (BOX)->first[0];                                        \
                 X < x_end_; X++)

#endif
