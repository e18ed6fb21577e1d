/* The library's among several requests. */
#ifndef NATIVES_H
#define NATIVES_H

#include <mpi.h>

/* One turn of the library for all that it has of these: where ranks share cores it leaves the core
 * to others in each, and who is asked for them one by one looks at other sites too seldom. Those of
 * ours that it has carried out are done then; of its own it says which have ended, as MPI_Testsome,
 * whose `outcount` is MPI_UNDEFINED if it has none. An error code. */
int test_natives(int count, MPI_Request requests[], int *outcount, int indices[],
                 MPI_Status *statuses);

/* Ends all that the library alone carries out, or none: as MPI_Testall for these, which says
 * nothing of others. */
int test_all_natives(int count, MPI_Request requests[], int *flag, MPI_Status *statuses);

#endif
