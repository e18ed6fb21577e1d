/* A program whose calls are known: traced ITERATIONS [abort|exit|kill|full]. With `full` it can
 * write no file beyond 100 kB, as if the disk were full. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static int rank, ranks;

static void ring(int *in, int *out)
{
    MPI_Request requests[2];
    MPI_Irecv(in, 25, MPI_INT, (rank + ranks - 1) % ranks, 7, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(out, 25, MPI_INT, (rank + 1) % ranks, 7, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

static void persistent(int *in, int *out, int times)
{
    MPI_Request requests[2];
    MPI_Recv_init(in, 3, MPI_INT, (rank + ranks - 1) % ranks, 8, MPI_COMM_WORLD, &requests[0]);
    MPI_Send_init(out, 3, MPI_INT, (rank + 1) % ranks, 8, MPI_COMM_WORLD, &requests[1]);
    for (int i = 0; i < times; i++) {
        MPI_Startall(2, requests);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
}

/* Rank 0 takes what comes; the others tell it their number, in as many bytes and as their tag. */
static void wildcards(void)
{
    char bytes[64] = "";
    MPI_Status status;
    if (rank)
        MPI_Send(bytes, rank, MPI_CHAR, 0, rank, MPI_COMM_WORLD);
    for (int i = 1; rank == 0 && i < ranks; i++) {
        MPI_Request request;
        int done = 0;
        MPI_Irecv(bytes, 64, MPI_CHAR, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &request);
        while (!done)
            MPI_Test(&request, &done, &status);
    }
}

static void halves(int times)
{
    for (int i = 0; i < times; i++) {
        MPI_Comm half;
        int one = 1, sum = 0;
        MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
        MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, half);
        if (sum != (ranks + 1 - rank % 2) / 2)
            printf("wrong sum %d\n", sum);
        MPI_Comm_free(&half);
    }
}

int main(int argc, char **argv)
{
    const int iterations = argc > 1 ? atoi(argv[1]) : 10;
    const char *end = argc > 2 ? argv[2] : "";
    int in[512] = {0}, out[512] = {0};
    double sum, one = 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (strcmp(end, "full") == 0) {
        const struct rlimit limit = {100000, RLIM_INFINITY};
        signal(SIGXFSZ, SIG_IGN);
        setrlimit(RLIMIT_FSIZE, &limit);
        end = "";
    }
    MPI_Pcontrol(7);
    for (int i = 0; i < iterations; i++) {
        for (int k = 0; k < 5; k++) {
            ring(in, out);
            MPI_Allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        }
        MPI_Allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    MPI_Pcontrol(-7);
    if (strcmp(end, "") != 0) {
        MPI_Barrier(MPI_COMM_WORLD);
        if (strcmp(end, "abort") == 0 && rank == 0)
            MPI_Abort(MPI_COMM_WORLD, 3);
        if (strcmp(end, "kill") == 0)
            raise(SIGKILL);
        if (strcmp(end, "exit") == 0)
            _exit(0);
        sleep(30);
    }
    MPI_Sendrecv(out, 2, MPI_INT, (rank + 1) % ranks, 9, in, 4, MPI_INT, (rank + ranks - 1) % ranks,
                 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    persistent(in, out, 4);
    wildcards();
    halves(3);
    MPI_Bcast(in, 100, MPI_INT, ranks - 1, MPI_COMM_WORLD);
    MPI_Gather(out, 4, MPI_INT, in, 4, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Alltoall(out, 2, MPI_INT, in, 2, MPI_INT, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
