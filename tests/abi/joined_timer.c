/* A timer's signal comes every millisecond, from before MPI_Init on, as in a program that is being
 * profiled; `restart`: with SA_RESTART. Each rank exchanges large messages with its counterpart. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

enum { ROUNDS = 10, BYTES = 2000000 };

static volatile sig_atomic_t signals;

static void count(int number)
{
    (void)number;
    signals++;
}

int main(int argc, char **argv)
{
    struct sigaction action = {.sa_handler = count};
    struct itimerval each = {{0, 1000}, {0, 1000}};
    int rank, size, wrong = 0;
    if (argc > 1 && strcmp(argv[1], "restart") == 0)
        action.sa_flags = SA_RESTART;
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &each, NULL);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const int other = size - 1 - rank;
    char *sent = malloc(BYTES), *received = malloc(BYTES);
    for (int round = 0; round < ROUNDS; round++) {
        memset(sent, rank + round, BYTES);
        memset(received, 0, BYTES);
        MPI_Sendrecv(sent, BYTES, MPI_CHAR, other, 1, received, BYTES, MPI_CHAR, other, 1,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int i = 0; i < BYTES; i++)
            wrong += received[i] != (char)(other + round);
    }
    printf("rank %d: %d wrong, signals: %s\n", rank, wrong, signals > 10 ? "many" : "few");
    MPI_Finalize();
    free(sent);
    free(received);
    return wrong != 0;
}
