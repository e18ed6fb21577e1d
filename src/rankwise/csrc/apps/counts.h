/* How many messages the ranks of a program send, by call and size: a count between it and MPI. */
#ifndef RANKWISE_APPS_COUNTS_H
#define RANKWISE_APPS_COUNTS_H

#include <mpi.h>

void start_counting(void);
/* Rank 0 prints a line of JSON of what all ranks sent since: number and sizes by call and power of
 * two. */
void print_counts(const char *name, MPI_Comm comm, int rank);

#endif
