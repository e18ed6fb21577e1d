/* Grids and graphs of ranks, on communicators across sites. */
#ifndef TOPOLOGIES_H
#define TOPOLOGIES_H

#include "communicators.h"

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

/* The topology of this kind: NULL, and the error is told, if there is none. */
const Topology *topology_of(const Joined *joined, int kind);

#endif
