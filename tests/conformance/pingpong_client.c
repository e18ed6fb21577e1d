/* A ping-pong as anybody would write it, an outside client of Rankwise. Prints for each size among
 * its arguments the median of half of the round trip. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define MOST 20000

static int ascending(const void *one, const void *other)
{
    double difference = *(const double *)one - *(const double *)other;
    return (difference > 0) - (difference < 0);
}

static void measure(int rank, int bytes, int rounds, char *buffer, double *seconds)
{
    int turn;
    for (turn = -rounds / 10 - 2; turn < rounds; turn++) {
        double start = MPI_Wtime();
        if (rank == 0) {
            MPI_Send(buffer, bytes, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
            MPI_Recv(buffer, bytes, MPI_CHAR, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else {
            MPI_Recv(buffer, bytes, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(buffer, bytes, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
        }
        if (turn >= 0)
            seconds[turn] = (MPI_Wtime() - start) / 2;
    }
}

int main(int argc, char **argv)
{
    static double seconds[MOST];
    int rank, size, argument;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (argument = 1; size == 2 && argument < argc; argument++) {
        int bytes = atoi(argv[argument]), rounds = bytes > 100000 ? 100 : 300;
        char *buffer = calloc(bytes + 1, 1);
        measure(rank, bytes, rounds, buffer, seconds);
        qsort(seconds, rounds, sizeof *seconds, ascending);
        if (rank == 0)
            printf("bytes %d took %.3f us\n", bytes, 1e6 * seconds[rounds / 2]);
        free(buffer);
    }
    MPI_Finalize();
    return 0;
}
