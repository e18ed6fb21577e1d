/* The cells of two coupled models: which of them a rank has, what they hold, and what they must
 * hold in the end. */
#ifndef RANKWISE_COUPLED_CELLS_H
#define RANKWISE_COUPLED_CELLS_H

#include "app.h"

typedef struct {
    int peer;
    int64_t first, count; /* cells of this rank that the peer has too */
} Part;

typedef struct {
    AppRun *run;
    bool first, sends, receives; /* the first of the two models; what it does in a step */
    bool both, turns, hidden;
    int64_t low, cells; /* of this rank: which, and how many */
    Part *parts;
    int count, waiting; /* parts; requests that have not ended */
    MPI_Request *requests;
    double *mine, *theirs, *sent;
    double *steps, *exchanges; /* seconds of each */
} Model;

/* Which cells are this rank's, and which of them each rank of the other model has. */
void distribute(Model *m, int64_t all);

double initial(bool first, int64_t cell);

/* One step of all cells of this rank. */
void advance_cells(Model *m);

/* What a cell with these values at the beginning must hold after so many steps. */
double expected(const Model *m, int steps, double one, double other);

#endif
