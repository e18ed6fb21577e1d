/* Ranks that wait for rank 0 give up the core meanwhile: each leaves a file RANK in the folder that
 * is named as it does so for the first time, and rank 0 waits for all of them. Linked with
 * -rdynamic, so that whatever is loaded calls this sched_yield(). */
#define _GNU_SOURCE
#include <fcntl.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { MOST_SECONDS = 200, LOOKS_A_SECOND = 100 };
static char mine[4096]; /* empty: nothing is waited for, or it is written */

int sched_yield(void)
{
    if (mine[0]) {
        close(open(mine, O_WRONLY | O_CREAT, 0600));
        mine[0] = '\0';
    }
    return (int)syscall(SYS_sched_yield);
}

static bool all_yield(const char *folder, int ranks)
{
    char name[4096];
    int found = 0;
    for (int i = 0; i < MOST_SECONDS * LOOKS_A_SECOND && found < ranks - 1; i++) {
        usleep(1000000 / LOOKS_A_SECOND);
        found = 0;
        for (int rank = 1; rank < ranks; rank++) {
            snprintf(name, sizeof name, "%s/%d", folder, rank);
            found += access(name, F_OK) == 0;
        }
    }
    return found == ranks - 1;
}

int main(int argc, char **argv)
{
    int rank, ranks;
    bool all = true;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (rank == 0)
        all = all_yield(argv[1], ranks);
    else
        snprintf(mine, sizeof mine, "%s/%d", argv[1], rank);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        puts(all ? "all yield" : "not all yield");
    MPI_Finalize();
    return all ? EXIT_SUCCESS : EXIT_FAILURE;
}
