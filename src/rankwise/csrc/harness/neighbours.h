/* Ranks with a topology, for the neighbourhood collectives. */
#ifndef RANKWISE_NEIGHBOURS_H
#define RANKWISE_NEIGHBOURS_H

#include "kernel.h"

/* What c->state is from setup to teardown. Every rank sends to c->neighbours ranks and receives
 * from as many; the same rank may be there twice, and a rank its own neighbour. Blocks of unequal
 * operations are in c->counts and c->displacements, one a neighbour. */
typedef struct {
    MPI_Comm comm;
    int sources[MOST_NEIGHBOURS], destinations[MOST_NEIGHBOURS];
    int own; /* elements that this rank sends to each neighbour in allgatherv */
    MPI_Datatype types[MOST_NEIGHBOURS];
    MPI_Aint byte_displacements[MOST_NEIGHBOURS];
} Neighbours;

void open_neighbours(Cell *c);
void open_unequal_gather(Cell *c);   /* what a rank sends to all depends on the rank */
void open_unequal_exchange(Cell *c); /* what two neighbours exchange depends on their places */
void close_neighbours(Cell *c);

extern const Data neighbour_allgather_data, neighbour_alltoall_data;

#endif
