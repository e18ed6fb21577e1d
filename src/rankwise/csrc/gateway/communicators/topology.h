/* Grids and graphs of ranks. */
#ifndef TOPOLOGY_H
#define TOPOLOGY_H

#include <stdbool.h>

typedef struct Topology Topology;
struct Topology {
    int kind; /* MPI_CART, MPI_GRAPH or MPI_DIST_GRAPH */
    long uses;
    int dimensions, *dims, *periods; /* of a grid */
    int nodes, *index, *edges;       /* of a graph */
    int in, *sources, *in_weights;   /* this rank's neighbours; weights: NULL, there are none */
    int out, *destinations, *out_weights;
    bool weighted;
};

/* Zeroed but for its kind; NULL: there is no memory. */
Topology *new_topology(int kind);
void release_topology(Topology *topology); /* NULL: nothing */

/* A copy of these numbers: NULL if there is no memory. */
int *copy_of(const int *numbers, int count);

#endif
