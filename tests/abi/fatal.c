/* Calls a function that few libraries have, where errors are fatal. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_flush_buffer(MPI_COMM_WORLD);
    printf("went on\n");
    MPI_Finalize();
    return 0;
}
