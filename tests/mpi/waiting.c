/* Rank 0 waits at least two seconds for a message, and prints how often it gave up its core
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
    if (rank) { /* from where rank 0 begins to wait, however late it comes there */
        MPI_Recv(&data, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        nanosleep(&(struct timespec){2, 0}, NULL);
        MPI_Send(&data, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    } else {
        MPI_Send(&data, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
        const long before = given_up();
        MPI_Recv(&data, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        printf("gave up its core %ld times\n", given_up() - before);
        fflush(stdout);
    }
    return MPI_Finalize();
}
