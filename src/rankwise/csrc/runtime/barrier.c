#include "barrier.h"
#include "error.h"
#include <stdbool.h>

enum { BARRIER = 41 };

int rw_barrier_open(RwBarrier *barrier, MPI_Comm comm)
{
    barrier->comm = comm;
    RW_TRY(MPI_Comm_rank(comm, &barrier->rank));
    return MPI_Comm_size(comm, &barrier->ranks);
}

int rw_barrier_maximum(const RwBarrier *barrier, double *values, int count)
{
    const int rank = barrier->rank, ranks = barrier->ranks;
    if (count < 0 || count > RW_MAXIMUM_VALUES)
        return MPI_ERR_COUNT;
    const bool power_of_two = (ranks & (ranks - 1)) == 0;
    for (int distance = 1; distance < ranks; distance *= 2) {
        double others[RW_MAXIMUM_VALUES];
        const int to = power_of_two ? rank ^ distance : (rank + distance) % ranks;
        const int from = power_of_two ? to : (rank - distance + ranks) % ranks;
        RW_TRY(MPI_Sendrecv(values, count, MPI_DOUBLE, to, BARRIER, others, count, MPI_DOUBLE, from,
                            BARRIER, barrier->comm, MPI_STATUS_IGNORE));
        for (int i = 0; i < count; i++) {
            if (others[i] > values[i])
                values[i] = others[i];
        }
    }
    return MPI_SUCCESS;
}

int rw_barrier_wait(const RwBarrier *barrier)
{
    double nothing = 0;
    return rw_barrier_maximum(barrier, &nothing, 1);
}
