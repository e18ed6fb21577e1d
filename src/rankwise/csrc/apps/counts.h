/* How many messages the ranks of a program send, by call and size. The calls are counted by other
 * names and not by wrappers called MPI_Send, which would take them from what is loaded between a
 * program and its MPI: a tracer, the overlay. */
#ifndef RANKWISE_APPS_COUNTS_H
#define RANKWISE_APPS_COUNTS_H

#include <mpi.h>

void start_counting(void);
/* Rank 0 prints a line of JSON of what all ranks sent since: number and sizes by call and power of
 * two. */
void print_counts(const char *name, MPI_Comm comm, int rank);

#if MPI_VERSION >= 3
#define INPUT const
#else
#define INPUT
#endif
int counted_Send(INPUT void *data, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm);
int counted_Isend(INPUT void *data, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                  MPI_Request *request);
int counted_Sendrecv(INPUT void *data, int n, MPI_Datatype type, int to, int tag, void *into, int m,
                     MPI_Datatype its, int from, int its_tag, MPI_Comm comm, MPI_Status *status);
int counted_Allreduce(INPUT void *data, void *into, int n, MPI_Datatype type, MPI_Op op,
                      MPI_Comm comm);
int counted_Reduce(INPUT void *data, void *into, int n, MPI_Datatype type, MPI_Op op, int root,
                   MPI_Comm comm);
int counted_Bcast(void *data, int n, MPI_Datatype type, int root, MPI_Comm comm);
int counted_Allgather(INPUT void *data, int n, MPI_Datatype type, void *into, int m,
                      MPI_Datatype its, MPI_Comm comm);
int counted_Alltoall(INPUT void *data, int n, MPI_Datatype type, void *into, int m,
                     MPI_Datatype its, MPI_Comm comm);
int counted_Alltoallv(INPUT void *data, INPUT int *n, INPUT int *starts, MPI_Datatype type,
                      void *into, INPUT int *m, INPUT int *into_starts, MPI_Datatype its,
                      MPI_Comm comm);
int counted_Barrier(MPI_Comm comm);

#ifndef COUNTS_THEMSELVES
#define MPI_Send counted_Send
#define MPI_Isend counted_Isend
#define MPI_Sendrecv counted_Sendrecv
#define MPI_Allreduce counted_Allreduce
#define MPI_Reduce counted_Reduce
#define MPI_Bcast counted_Bcast
#define MPI_Allgather counted_Allgather
#define MPI_Alltoall counted_Alltoall
#define MPI_Alltoallv counted_Alltoallv
#define MPI_Barrier counted_Barrier
#endif

#endif
