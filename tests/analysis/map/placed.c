/* Each rank says where it runs; with an argument, after it was ordered by the file of that name. */
#include "rankwise_order.h"
#include <unistd.h>

int main(int argc, char **argv)
{
    MPI_Comm world;
    char host[256];
    int rank, code;
    MPI_Init(&argc, &argv);
    code = rankwise_order(MPI_COMM_WORLD, argc > 1 ? argv[1] : NULL, &world);
    MPI_Comm_rank(world, &rank);
    gethostname(host, sizeof host);
    printf("rank %d on %s%s\n", rank, host, code == MPI_SUCCESS ? "" : ", not ordered");
    fflush(stdout);
    MPI_Comm_free(&world);
    MPI_Finalize();
    return 0;
}
