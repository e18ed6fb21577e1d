/* What one call costs, in nanoseconds: the least of many passes. Prints `name value` for each call.
 * An argument: how many calls a pass has.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { PASSES = 25 };
static int count = 50000;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

#define TIME(name, calls)                                                                          \
    do {                                                                                           \
        double least = 1e30;                                                                       \
        for (int pass = 0; pass < PASSES; pass++) {                                                \
            const double start = now();                                                            \
            for (int i = 0; i < count; i++) {                                                      \
                calls;                                                                             \
            }                                                                                      \
            const double each = (now() - start) / count;                                           \
            least = each < least ? each : least;                                                   \
        }                                                                                          \
        printf("%s %.2f\n", name, least);                                                          \
    } while (0)

int main(int argc, char **argv)
{
    int number;
    MPI_Status status;
    MPI_Request request;
    MPI_Comm comm;
    MPI_Init(&argc, &argv);
    if (argc > 1)
        count = atoi(argv[1]);
    MPI_Comm_dup(MPI_COMM_SELF, &comm);
    TIME("Comm_rank", MPI_Comm_rank(comm, &number));
    TIME("Send", MPI_Send(NULL, 0, MPI_BYTE, MPI_PROC_NULL, 0, comm));
    TIME("Recv", MPI_Recv(NULL, 0, MPI_BYTE, MPI_PROC_NULL, 0, comm, &status));
    TIME("Isend+Wait", MPI_Isend(NULL, 0, MPI_BYTE, MPI_PROC_NULL, 0, comm, &request);
         MPI_Wait(&request, &status));
    TIME("Get_count", MPI_Get_count(&status, MPI_INT, &number));
    MPI_Comm_free(&comm);
    MPI_Finalize();
    return 0;
}
