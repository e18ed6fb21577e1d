/* Memory that every rank exposes to the others, for the one-sided benchmarks. */
#ifndef RANKWISE_ONE_SIDED_H
#define RANKWISE_ONE_SIDED_H

#include "kernel.h"

typedef struct {
    MPI_Win window; /* locked for all ranks from setup to teardown */
    char *memory;   /* as large as c->pool; what belongs to c->receive is at receive_offset */
} OneSided;

void open_one_sided(Cell *c); /* sets c->state to a OneSided */
void close_one_sided(Cell *c);
MPI_Aint receive_offset(const Cell *c); /* the same on both ranks of a pair */
char *exposed_block(const Cell *c);     /* this rank's memory at receive_offset */
void sync_exposed(const Cell *c);       /* between own loads and stores and others' operations */

#endif
