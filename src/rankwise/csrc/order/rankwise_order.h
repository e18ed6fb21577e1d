/* Optional, for programs whose ranks are to be placed better than they were started:
 *
 *     MPI_Comm world;
 *     MPI_Init(&argc, &argv);
 *     rankwise_order(MPI_COMM_WORLD, "order", &world);
 *     ...                                              world in place of MPI_COMM_WORLD
 *
 * `order` is what `rankwise map APP.trace --testbed T --format permutation -o order` writes: line i
 * is the rank that the process gets which is started as rank i. With NULL the variable
 * RANKWISE_ORDER names the file; without it ranks stay as they are. Rank 0 reads it.
 *
 * Returns MPI_SUCCESS; or, on all ranks alike, MPI_ERR_OTHER with `*ordered` as `comm` is, after
 * rank 0 has said what is wrong: no such file, or one that has not each rank of `comm` once.
 */
#ifndef RANKWISE_ORDER_H
#define RANKWISE_ORDER_H

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

/* Read `size` ranks, each once; return what is wrong, or NULL. */
static inline const char *rankwise_order_read(const char *file, int *order, int size)
{
    const char *wrong = NULL;
    FILE *in = fopen(file, "r");
    char *seen = (char *)calloc((size_t)size, 1);
    int i, more;
    if (!in)
        wrong = "cannot be opened";
    else if (!seen)
        wrong = "does not fit into memory";
    for (i = 0; i < size && !wrong; i++) {
        if (fscanf(in, "%d", &order[i]) != 1)
            wrong = "has fewer ranks than the communicator";
        else if (order[i] < 0 || order[i] >= size || seen[order[i]]++)
            wrong = "does not have each rank of the communicator once";
    }
    if (!wrong && fscanf(in, "%d", &more) == 1)
        wrong = "has more ranks than the communicator";
    if (in)
        fclose(in);
    free(seen);
    return wrong;
}

static inline int rankwise_order(MPI_Comm comm, const char *file, MPI_Comm *ordered)
{
    int rank, size, key, use = 0; /* 1: the file, 0: none, -1: it is wrong */
    int *order = NULL;
    const char *wrong;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    key = rank;
    if (rank == 0) {
        if (!file)
            file = getenv("RANKWISE_ORDER");
        if (file) {
            order = (int *)malloc(sizeof *order * (size_t)size);
            wrong = order ? rankwise_order_read(file, order, size) : "does not fit into memory";
            use = wrong ? -1 : 1;
            if (wrong)
                fprintf(stderr, "rankwise_order: %s %s (%d ranks)\n", file, wrong, size);
        }
    }
    MPI_Bcast(&use, 1, MPI_INT, 0, comm);
    if (use == 1)
        MPI_Scatter(order, 1, MPI_INT, &key, 1, MPI_INT, 0, comm);
    free(order);
    MPI_Comm_split(comm, 0, key, ordered);
    return use < 0 ? MPI_ERR_OTHER : MPI_SUCCESS;
}

#endif
