/* MPI_Alltoallw: each pair of ranks has types of its own, which no schedule knows. */
#include "calls.h"
#include "collectives.h"
#include <stdlib.h>

/* Pair by pair, in the same order on all ranks. */
static int in_place(const Joined *j, int tag, char *data, const int counts[], const int starts[],
                    const MPI_Datatype types[])
{
    int code = MPI_SUCCESS;
    for (int a = 0; a < j->size; a++)
        for (int b = a + 1; b < j->size && code == MPI_SUCCESS; b++) {
            const int peer = j->rank == a ? b : j->rank == b ? a : -1;
            if (peer >= 0)
                code = call_Sendrecv_replace(data + starts[peer], counts[peer], types[peer], peer,
                                             tag, peer, tag, j->own, MPI_STATUS_IGNORE);
        }
    return code;
}

int call_Alltoallw(const void *sendbuf, const int sendcounts[], const int sdispls[],
                   const MPI_Datatype sendtypes[], void *recvbuf, const int recvcounts[],
                   const int rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm)
{
    Joined *j = joined_of(comm);
    if (!j)
        return below.Alltoallw(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts,
                               rdispls, recvtypes, comm);
    const int tag = first_tag(joined_of(j->own));
    char *to = recvbuf;
    if (sendbuf == MPI_IN_PLACE)
        return fail(j, in_place(j, tag, to, recvcounts, rdispls, recvtypes));
    MPI_Request *requests = malloc(2 * (size_t)j->size * sizeof *requests);
    int code = requests ? MPI_SUCCESS : MPI_ERR_NO_MEM, begun = 0;
    for (int i = 0; i < j->size && code == MPI_SUCCESS; i++) {
        const int from = (j->rank + i) % j->size;
        code = call_Irecv(to + rdispls[from], recvcounts[from], recvtypes[from], from, tag, j->own,
                          &requests[begun]);
        begun += code == MPI_SUCCESS;
    }
    for (int i = 0; i < j->size && code == MPI_SUCCESS; i++) {
        const int dest = (j->rank + i) % j->size;
        code = call_Isend((const char *)sendbuf + sdispls[dest], sendcounts[dest], sendtypes[dest],
                          dest, tag, j->own, &requests[begun]);
        begun += code == MPI_SUCCESS;
    }
    if (code == MPI_SUCCESS)
        code = call_Waitall(begun, requests, MPI_STATUSES_IGNORE);
    free(requests);
    return fail(j, code);
}
