/* Stands before malloc, calloc, mmap and MPI_Win_allocate in a harness that is linked with --wrap.
 * RANKWISE_FAIL=RANK:N lets the N-th call of the rank find no memory (rank -1: before MPI_Init),
 * RANKWISE_FAIL=window every MPI_Win_allocate. */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
void *__real_mmap(void *address, size_t bytes, int protection, int flags, int file, off_t offset);
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_mmap(void *address, size_t bytes, int protection, int flags, int file, off_t offset);

static bool is_lacking(void)
{
    static int calls;
    const char *asked = getenv("RANKWISE_FAIL");
    int joined, rank = -1, failing_rank, failing_call;
    if (!asked || sscanf(asked, "%d:%d", &failing_rank, &failing_call) != 2)
        return false;
    MPI_Initialized(&joined);
    if (joined)
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank == failing_rank && ++calls == failing_call;
}

void *__wrap_malloc(size_t bytes)
{
    return is_lacking() ? NULL : __real_malloc(bytes);
}

void *__wrap_calloc(size_t count, size_t bytes)
{
    return is_lacking() ? NULL : __real_calloc(count, bytes);
}

void *__wrap_mmap(void *address, size_t bytes, int protection, int flags, int file, off_t offset)
{
    return is_lacking() ? MAP_FAILED : __real_mmap(address, bytes, protection, flags, file, offset);
}

#if MPI_VERSION >= 3
int __real_MPI_Win_allocate(MPI_Aint bytes, int unit, MPI_Info info, MPI_Comm comm, void *memory,
                            MPI_Win *window);
int __wrap_MPI_Win_allocate(MPI_Aint bytes, int unit, MPI_Info info, MPI_Comm comm, void *memory,
                            MPI_Win *window);

int __wrap_MPI_Win_allocate(MPI_Aint bytes, int unit, MPI_Info info, MPI_Comm comm, void *memory,
                            MPI_Win *window)
{
    const char *asked = getenv("RANKWISE_FAIL");
    if (!asked || strcmp(asked, "window") != 0)
        return __real_MPI_Win_allocate(bytes, unit, info, comm, memory, window);
    MPI_Comm_call_errhandler(comm, MPI_ERR_NO_MEM); /* as the library does */
    return MPI_ERR_NO_MEM;
}
#endif
