/* The last rank dies between two collectives, while the others go on and wait for it. */
#define _DEFAULT_SOURCE
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    static double data[1 << 16], sum[1 << 16];
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int turn = 0; turn < 100; turn++) {
        if (turn == 50 && rank == ranks - 1) {
            usleep(200000); /* launchers drop what they have not read by then */
            raise(SIGKILL);
        }
        MPI_Allreduce(data, sum, 1 << 16, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        if (turn == 49 && rank == 0) {
            puts("half done");
            fflush(stdout);
        }
    }
    puts("all done");
    MPI_Finalize();
    return 0;
}
