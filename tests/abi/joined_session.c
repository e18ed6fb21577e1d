/* Begins with a session, as such programs do. `return` or `fatal`: its error handler. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    const int goes_on = argc > 1 && strcmp(argv[1], "return") == 0;
    MPI_Session session;
    int class = -1;
    MPI_Error_class(MPI_Session_init(MPI_INFO_NULL,
                                     goes_on ? MPI_ERRORS_RETURN : MPI_ERRORS_ARE_FATAL, &session),
                    &class);
    if (class == MPI_ERR_UNSUPPORTED_OPERATION)
        printf("unsupported operation\n");
    return 0;
}
