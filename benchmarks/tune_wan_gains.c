/* A ping-pong as anybody would write it: BYTES ROUNDS. Prints the median of half a round trip in
 * seconds. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define WARMUP 2
#define MOST 100

static int ascending(const void *one, const void *other)
{
    double difference = *(const double *)one - *(const double *)other;
    return (difference > 0) - (difference < 0);
}

int main(int argc, char **argv)
{
    double seconds[MOST];
    int bytes = argc > 1 ? atoi(argv[1]) : 1, rounds = argc > 2 ? atoi(argv[2]) : 5, rank, turn;
    char *buffer = calloc(bytes, 1);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (turn = -WARMUP; turn < rounds && turn < MOST; turn++) {
        double start = MPI_Wtime();
        if (rank == 0)
            MPI_Send(buffer, bytes, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
        MPI_Recv(buffer, bytes, MPI_CHAR, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (rank == 1)
            MPI_Send(buffer, bytes, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
        if (turn >= 0)
            seconds[turn] = (MPI_Wtime() - start) / 2;
    }
    qsort(seconds, rounds, sizeof *seconds, ascending);
    if (rank == 0)
        printf("one way %.6f s\n", seconds[rounds / 2]);
    free(buffer);
    MPI_Finalize();
    return 0;
}
