/* A message of more than 2 GiB and an odd number of bytes, and a count above INT_MAX, from the last
 * rank to the first: all of it arrives, in its place. */
#include "traps.h"
#include <stdint.h>

static const MPI_Count bytes = ((MPI_Count)1 << 31) + 4099;

static unsigned char expected(MPI_Count i)
{
    return (unsigned char)((uint64_t)i * UINT64_C(0x9e3779b97f4a7c15) >> 56);
}

int main(int argc, char **argv)
{
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    unsigned char *data = malloc((size_t)bytes);
    CHECK(data != NULL);
    if (data && rank == ranks - 1) {
        for (MPI_Count i = 0; i < bytes; i++)
            data[i] = expected(i);
        WORKS(MPI_Send_c(data, bytes, MPI_BYTE, 0, 5, MPI_COMM_WORLD));
    } else if (data && rank == 0) {
        MPI_Status status;
        MPI_Count count = 0, different = 0;
        memset(data, 0, (size_t)bytes);
        if (WORKS(MPI_Recv_c(data, bytes, MPI_BYTE, ranks - 1, 5, MPI_COMM_WORLD, &status))) {
            MPI_Get_count_c(&status, MPI_BYTE, &count);
            for (MPI_Count i = 0; i < bytes; i++)
                different += data[i] != expected(i);
            CHECK(count == bytes && different == 0);
        }
    }
    free(data);
    report();
    MPI_Finalize();
    return wrong != 0;
}
