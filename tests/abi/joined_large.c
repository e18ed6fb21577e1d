/* Collective operations of more than 2 GiB: a broadcast, a vector of a derived type, blocks, and a
 * reduction. Two ranks, 2.2 GB each way. */
#include "traps.h"
#include <stdint.h>

static int rank, ranks;
static const size_t bytes = (size_t)275 << 23; /* 2.3 GB */

static double *numbers(int filled)
{
    const size_t count = bytes / sizeof(double);
    double *made = malloc(bytes);
    if (!made)
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (size_t i = 0; i < count; i++)
        made[i] = filled ? (double)(i % 1000003 + (size_t)rank) : -1;
    return made;
}

/* Whether those that came from this rank, or the sums of all, are right. */
static int right(const double *found, size_t count, size_t first, double times, double more)
{
    size_t different = 0;
    for (size_t i = 0; i < count; i++)
        different += found[i] != times * (double)((first + i) % 1000003) + more;
    return different == 0;
}

int main(int argc, char **argv)
{
    const size_t count = bytes / sizeof(double);
    MPI_Datatype kilobyte;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    double *data = numbers(rank == 0);
    if (WORKS(MPI_Bcast(data, (int)count, MPI_DOUBLE, 0, MPI_COMM_WORLD)))
        CHECK(right(data, count, 0, 1, 0));
    free(data);
    data = numbers(rank == ranks - 1);
    MPI_Type_vector(64, 2, 2, MPI_DOUBLE, &kilobyte); /* no type of its own to the library */
    MPI_Type_commit(&kilobyte);
    if (WORKS(MPI_Bcast(data, (int)(count / 128), kilobyte, ranks - 1, MPI_COMM_WORLD)))
        CHECK(right(data, count, 0, 1, ranks - 1));
    MPI_Type_free(&kilobyte);
    free(data);
    data = numbers(1);
    if (WORKS(MPI_Allreduce(MPI_IN_PLACE, data, (int)count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD)))
        CHECK(right(data, count, 0, ranks, ranks * (ranks - 1) / 2));
    free(data);
    data = numbers(1);
    const size_t block = count / (size_t)ranks;
    if (WORKS(MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, data, (int)block, MPI_DOUBLE,
                            MPI_COMM_WORLD)))
        for (int r = 0; r < ranks; r++)
            CHECK(right(data + (size_t)r * block, block, (size_t)r * block, 1, r));
    free(data);
    report();
    MPI_Finalize();
    return wrong != 0;
}
