/* Fails in the way that its argument names, as programs of users do: what is said then is kept in
 * outputs/. */
#include <assert.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int rank, ranks, number = 0;
    const char *how = argc > 1 ? argv[1] : "";

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (rank == 0)
        printf("halo exchange on %d ranks\nstep 1 residual 0.125\nstep 2 residual 0.0625\n", ranks);
    fflush(stdout);
    MPI_Barrier(MPI_COMM_WORLD);
    usleep(300000); /* launchers lose what they have not passed on yet */
    if (!strcmp(how, "abort") && rank == 1) {
        fprintf(stderr, "cannot open input deck: lattice.in\n");
        usleep(300000);
        MPI_Abort(MPI_COMM_WORLD, 7);
    }
    if (!strcmp(how, "cube")) {
        if (rank == 0)
            printf("Num processors must be a cube of an integer (1, 8, 27, ...)\n");
        fflush(stdout);
        usleep(300000);
        MPI_Abort(MPI_COMM_WORLD, -1);
    }
    if (!strcmp(how, "segfault") && rank == 1)
        raise(SIGSEGV);
    if (!strcmp(how, "killed") && rank == 1)
        raise(SIGKILL);
    if (!strcmp(how, "exit3")) {
        if (rank == 0)
            printf("the matrix is singular\n");
        MPI_Finalize();
        return 3;
    }
    if (!strcmp(how, "assert") && rank == 1)
        assert(!"the mesh has cells");
    if (!strcmp(how, "error") && rank == 0)
        MPI_Send(&number, 1, MPI_INT, ranks + 5, 0, MPI_COMM_WORLD);
    if (!strcmp(how, "hang"))
        MPI_Recv(&number, 1, MPI_INT, (rank + 1) % ranks, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
