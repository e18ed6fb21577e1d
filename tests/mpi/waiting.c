/* Rank 0 waits a third of a second for a message, and prints how often it gave up its core
 * meanwhile. */
#include <mpi.h>
#include <stdio.h>
#include <sys/resource.h>
#include <time.h>

static long given_up(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_nvcsw;
}

int main(int argc, char **argv)
{
    int rank, data = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank) {
        nanosleep(&(struct timespec){0, 333000000}, NULL);
        MPI_Send(&data, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    } else {
        const long before = given_up();
        MPI_Recv(&data, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        printf("gave up its core %ld times\n", given_up() - before);
    }
    return MPI_Finalize();
}
