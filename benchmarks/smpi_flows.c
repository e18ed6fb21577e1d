/* A pattern of concurrent messages for SimGrid's SMPI: rank 2i sends flow i, rank 2i + 1 receives
 * it. Arguments: of each flow its bytes and when it starts, in microseconds. Each receiver prints
 * its flow and the seconds from its start. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const int flow = rank / 2;
    const int bytes = atoi(argv[1 + 2 * flow]);
    const unsigned start = (unsigned)atoi(argv[2 + 2 * flow]);
    char *data = malloc((size_t)bytes);
    const double begin = 1; /* of simulated time, which all ranks share */
    if (rank % 2) {
        MPI_Recv(data, bytes, MPI_BYTE, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        printf("%d %.9f\n", flow, MPI_Wtime() - begin - 1e-6 * start);
    } else {
        usleep((useconds_t)(1e6 * (begin - MPI_Wtime())) + start);
        MPI_Send(data, bytes, MPI_BYTE, rank + 1, 0, MPI_COMM_WORLD);
    }
    free(data);
    MPI_Finalize();
    return 0;
}
