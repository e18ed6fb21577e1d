#define COUNTS_THEMSELVES
#include "counts.h"
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { SEND, ALLREDUCE, REDUCE, BCAST, ALLGATHER, ALLTOALL, ALLTOALLV, BARRIER, CALLS };
enum { SIZES = 40 };
static const char *const names[CALLS] = {"point-to-point", "Allreduce", "Reduce",    "Bcast",
                                         "Allgather",      "Alltoall",  "Alltoallv", "Barrier"};

/* A call is intercepted without a context, so these are the file's own. */
static struct {
    bool on;
    long number[CALLS * SIZES], smallest[CALLS * SIZES], largest[CALLS * SIZES];
} counts;

static void count(int call, long elements, MPI_Datatype type)
{
    int bytes_each = 0, size = 0;
    if (!counts.on)
        return;
    if (elements > 0)
        PMPI_Type_size(type, &bytes_each);
    const long bytes = elements * bytes_each;
    while (bytes >> size > 1)
        size++;
    const int place = call * SIZES + size;
    if (!counts.number[place]++ || bytes < counts.smallest[place])
        counts.smallest[place] = bytes;
    if (bytes > counts.largest[place])
        counts.largest[place] = bytes;
}

void start_counting(void)
{
    memset(&counts, 0, sizeof counts);
    counts.on = true;
}

void print_counts(const char *name, MPI_Comm comm, int rank)
{
    static long number[CALLS * SIZES], smallest[CALLS * SIZES], largest[CALLS * SIZES];
    counts.on = false;
    for (int i = 0; i < CALLS * SIZES; i++)
        if (!counts.number[i])
            counts.smallest[i] = LONG_MAX;
    PMPI_Reduce(counts.number, number, CALLS * SIZES, MPI_LONG, MPI_SUM, 0, comm);
    PMPI_Reduce(counts.smallest, smallest, CALLS * SIZES, MPI_LONG, MPI_MIN, 0, comm);
    PMPI_Reduce(counts.largest, largest, CALLS * SIZES, MPI_LONG, MPI_MAX, 0, comm);
    if (rank != 0)
        return;
    const char *between = "";
    printf("{\"messages_of\": \"%s\", \"messages\": [", name);
    for (int i = 0; i < CALLS * SIZES; i++)
        if (number[i]) {
            printf("%s{\"call\": \"%s\", \"number\": %ld, \"smallest\": %ld, \"largest\": %ld}",
                   between, names[i / SIZES], number[i], smallest[i], largest[i]);
            between = ", ";
        }
    printf("]}\n");
}

int counted_Send(INPUT void *data, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm)
{
    count(SEND, n, type);
    return MPI_Send(data, n, type, to, tag, comm);
}

int counted_Isend(INPUT void *data, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                  MPI_Request *request)
{
    count(SEND, n, type);
    return MPI_Isend(data, n, type, to, tag, comm, request);
}

int counted_Sendrecv(INPUT void *data, int n, MPI_Datatype type, int to, int tag, void *into, int m,
                     MPI_Datatype its, int from, int its_tag, MPI_Comm comm, MPI_Status *status)
{
    count(SEND, n, type);
    return MPI_Sendrecv(data, n, type, to, tag, into, m, its, from, its_tag, comm, status);
}

int counted_Allreduce(INPUT void *data, void *into, int n, MPI_Datatype type, MPI_Op op,
                      MPI_Comm comm)
{
    count(ALLREDUCE, n, type);
    return MPI_Allreduce(data, into, n, type, op, comm);
}

int counted_Reduce(INPUT void *data, void *into, int n, MPI_Datatype type, MPI_Op op, int root,
                   MPI_Comm comm)
{
    count(REDUCE, n, type);
    return MPI_Reduce(data, into, n, type, op, root, comm);
}

int counted_Bcast(void *data, int n, MPI_Datatype type, int root, MPI_Comm comm)
{
    count(BCAST, n, type);
    return MPI_Bcast(data, n, type, root, comm);
}

int counted_Allgather(INPUT void *data, int n, MPI_Datatype type, void *into, int m,
                      MPI_Datatype its, MPI_Comm comm)
{
    count(ALLGATHER, n, type);
    return MPI_Allgather(data, n, type, into, m, its, comm);
}

int counted_Alltoall(INPUT void *data, int n, MPI_Datatype type, void *into, int m,
                     MPI_Datatype its, MPI_Comm comm)
{
    count(ALLTOALL, n, type); /* to each rank */
    return MPI_Alltoall(data, n, type, into, m, its, comm);
}

int counted_Alltoallv(INPUT void *data, INPUT int *n, INPUT int *starts, MPI_Datatype type,
                      void *into, INPUT int *m, INPUT int *into_starts, MPI_Datatype its,
                      MPI_Comm comm)
{
    long sum = 0;
    int ranks;
    PMPI_Comm_size(comm, &ranks);
    for (int i = 0; i < ranks; i++)
        sum += n[i];
    count(ALLTOALLV, sum, type); /* to all ranks together */
    return MPI_Alltoallv(data, n, starts, type, into, m, into_starts, its, comm);
}

int counted_Barrier(MPI_Comm comm)
{
    count(BARRIER, 0, MPI_BYTE);
    return MPI_Barrier(comm);
}
