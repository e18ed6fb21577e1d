/* Says where it runs, and fails in a way that it is told: `exit`, `abort`, `kill`; or `wait`s; or
 * the first rank `read`s a line; or all count themselves when an attribute of MPI_COMM_`self` is
 * deleted. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int count(MPI_Comm comm, int key, void *value, void *extra)
{
    int one = 1, sum = 0;
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (*(int *)value == 0)
        printf("%d in the end\n", sum);
    return MPI_SUCCESS;
}

static void count_in_the_end(int *rank)
{
    int key;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, count, &key, NULL);
    MPI_Comm_set_attr(MPI_COMM_SELF, key, rank);
    MPI_Comm_free_keyval(&key);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    char name[MPI_MAX_PROCESSOR_NAME];
    int rank, ranks, length, last;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Get_processor_name(name, &length);
    printf("rank %d of %d on %s\n", rank, ranks, name);
    fflush(stdout);
    usleep(200000); /* some launchers drop what a process says as it dies */
    if (rank == ranks - 1 && !strcmp(what, "exit"))
        exit(7);
    if (rank == ranks - 1 && !strcmp(what, "abort"))
        MPI_Abort(MPI_COMM_WORLD, 9);
    if (rank == ranks - 1 && !strcmp(what, "kill"))
        raise(SIGKILL);
    if (!strcmp(what, "wait"))
        sleep(60);
    if (!strcmp(what, "self"))
        count_in_the_end(&rank);
    else if (rank == 0 && !strcmp(what, "read") && fgets(name, sizeof name, stdin))
        printf("it read %s", name);
    else if (*what && strcmp(what, "read"))
        MPI_Recv(&last, 1, MPI_INT, ranks - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
