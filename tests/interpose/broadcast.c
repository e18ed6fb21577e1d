/* Broadcasts that know nothing of Rankwise: three of 1 MiB and two of 64 bytes, whose data are
 * checked. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    const int sizes[] = {1 << 20, 64, 1 << 20, 64, 1 << 20};
    unsigned char *data = malloc(1 << 20);
    int rank, wrong = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int turn = 0; turn < 5; turn++) {
        for (int i = 0; i < sizes[turn]; i++)
            data[i] = rank ? 0 : (unsigned char)(i * 7 + turn);
        MPI_Bcast(data, sizes[turn], MPI_BYTE, 0, MPI_COMM_WORLD);
        for (int i = 0; i < sizes[turn]; i++)
            wrong += data[i] != (unsigned char)(i * 7 + turn);
    }
    if (wrong)
        printf("rank %d: %d wrong\n", rank, wrong);
    else if (rank == 0)
        puts("all right");
    MPI_Finalize();
    free(data);
    return wrong != 0;
}
