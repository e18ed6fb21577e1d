/* Rank 0 sends each of the others three messages, of 4, 8 and 12 bytes. */
#include "traps.h"

int main(int argc, char **argv)
{
    int rank, ranks, numbers[3] = {1, 2, 3};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int count = 1; count <= 3; count++) {
        for (int to = 1; !rank && to < ranks; to++)
            MPI_Send(numbers, count, MPI_INT, to, count, MPI_COMM_WORLD);
        int got[3] = {0};
        if (rank)
            MPI_Recv(got, count, MPI_INT, 0, count, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        CHECK(!rank || got[count - 1] == count);
    }
    report();
    MPI_Finalize();
    return wrong != 0;
}
