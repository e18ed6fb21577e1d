/* Grids and graphs of ranks, on communicators across sites. */
#ifndef TOPOLOGIES_H
#define TOPOLOGIES_H

#include "communicators.h"
#include "topology.h"

/* The topology of this kind: NULL, and the error is told, if there is none. */
const Topology *topology_of(const Joined *joined, int kind);

#endif
