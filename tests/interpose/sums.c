/* Sums of doubles that come out otherwise in another order, bit by bit. */
#include <math.h>
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, ranks;
    double in[3], sums[3], root[3] = {0}, until[3];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int i = 0; i < 3; i++)
        in[i] = ((rank + i) % 2 ? -1 : 1) * exp(9.7 * ((rank * 7 + i * 3) % 5)) / (rank + 3);
    MPI_Allreduce(in, sums, 3, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Reduce(in, root, 3, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Scan(in, until, 3, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (rank == ranks - 1)
        for (int i = 0; i < 3; i++)
            printf("%a %a\n", sums[i], until[i]);
    MPI_Finalize();
    return 0;
}
