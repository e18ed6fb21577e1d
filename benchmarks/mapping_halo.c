/* A halo exchange: each rank of a grid sends to its neighbours, row by row, and waits for theirs.
 * Arguments: rows, bytes in each direction, iterations. Prints the seconds that they take. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const int rows = atoi(argv[1]), bytes = atoi(argv[2]), iterations = atoi(argv[3]);
    const int columns = size / rows, row = rank / columns, column = rank % columns;
    const int near[4] = {
        row > 0 ? rank - columns : MPI_PROC_NULL, row + 1 < rows ? rank + columns : MPI_PROC_NULL,
        column > 0 ? rank - 1 : MPI_PROC_NULL, column + 1 < columns ? rank + 1 : MPI_PROC_NULL};
    char *memory = calloc(8, (size_t)bytes);
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    for (int i = 0; i < iterations; i++) {
        MPI_Request requests[8];
        for (int n = 0; n < 4; n++)
            MPI_Irecv(memory + (size_t)n * bytes, bytes, MPI_BYTE, near[n], 0, MPI_COMM_WORLD,
                      &requests[n]);
        for (int n = 0; n < 4; n++)
            MPI_Isend(memory + (size_t)(4 + n) * bytes, bytes, MPI_BYTE, near[n], 0, MPI_COMM_WORLD,
                      &requests[4 + n]);
        MPI_Waitall(8, requests, MPI_STATUSES_IGNORE);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        printf("seconds %.9f\n", MPI_Wtime() - begin);
    free(memory);
    MPI_Finalize();
    return 0;
}
