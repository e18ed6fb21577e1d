/* One-sided calls of all kinds, between ranks 0 and 1 and around a ring, and a file. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    static char own[4096], other[4096];
    int rank, ranks, one = 1, old = 0;
    MPI_Win window;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const int next = (rank + 1) % ranks;
    MPI_Win_create(own, sizeof own, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_fence(0, window);
    MPI_Put(other, 1000, MPI_BYTE, next, 0, 1000, MPI_BYTE, window);
    MPI_Win_fence(0, window);
    MPI_Get(other, 500, MPI_BYTE, next, 0, 500, MPI_BYTE, window);
    MPI_Win_fence(0, window);
    MPI_Group whole, pair;
    MPI_Comm_group(MPI_COMM_WORLD, &whole);
    const int partner = 1 - rank;
    if (rank < 2) {
        MPI_Group_incl(whole, 1, &partner, &pair);
        MPI_Win_post(pair, 0, window);
        MPI_Win_start(pair, 0, window);
        MPI_Accumulate(other, 10, MPI_INT, partner, 64, 10, MPI_INT, MPI_SUM, window);
        MPI_Win_complete(window);
        MPI_Win_wait(window);
        MPI_Group_free(&pair);
    }
    MPI_Group_free(&whole);
    if (rank == 0) {
        MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, window);
        MPI_Put(other, 100, MPI_BYTE, 1, 0, 100, MPI_BYTE, window);
#if MPI_VERSION >= 3
        MPI_Win_flush(1, window);
        MPI_Fetch_and_op(&one, &old, MPI_INT, 1, 0, MPI_SUM, window);
        MPI_Compare_and_swap(&one, &one, &old, MPI_INT, 1, 0, window);
        MPI_Get_accumulate(NULL, 0, MPI_DATATYPE_NULL, other, 3, MPI_INT, 1, 0, 3, MPI_INT,
                           MPI_NO_OP, window);
        MPI_Request request;
        MPI_Rput(other, 7, MPI_BYTE, 1, 0, 7, MPI_BYTE, window, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
#endif
        MPI_Win_unlock(1, window);
    }
    MPI_Win_free(&window);
#if MPI_VERSION >= 2
    MPI_File file;
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    MPI_File_write_at_all(file, 100 * rank, own, 100, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_read_at(file, 0, own, 50, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
#endif
    (void)one, (void)old;
    MPI_Finalize();
    return 0;
}
