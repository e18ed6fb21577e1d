/* MPI_Alltoallw: each pair of ranks has types of its own, which no schedule knows. */
#include "calls.h"
#include "collectives.h"
#include <stdlib.h>

/* What goes to each rank, or comes from it: starts in bytes. */
typedef struct {
    char *buffer;
    Numbers counts, starts;
    const MPI_Datatype *types;
} Side;

static char *start_of(const Side *side, int rank)
{
    return side->buffer + number(side->starts, rank);
}

/* Pair by pair, in the same order on all ranks. */
static int in_place(const Joined *j, int tag, const Side *data)
{
    int code = MPI_SUCCESS;
    for (int a = 0; a < j->size; a++)
        for (int b = a + 1; b < j->size && code == MPI_SUCCESS; b++) {
            const int peer = j->rank == a ? b : j->rank == b ? a : -1;
            if (peer >= 0)
                code = call_Sendrecv_replace_c(start_of(data, peer), number(data->counts, peer),
                                               data->types[peer], peer, tag, peer, tag, j->own,
                                               MPI_STATUS_IGNORE);
        }
    return code;
}

static int exchange(const Joined *j, int tag, const Side *out, const Side *in)
{
    MPI_Request *requests = malloc(2 * (size_t)j->size * sizeof *requests);
    int code = requests ? MPI_SUCCESS : MPI_ERR_NO_MEM, begun = 0;
    for (int i = 0; i < j->size && code == MPI_SUCCESS; i++) {
        const int from = (j->rank + i) % j->size;
        code = call_Irecv_c(start_of(in, from), number(in->counts, from), in->types[from], from,
                            tag, j->own, &requests[begun]);
        begun += code == MPI_SUCCESS;
    }
    for (int i = 0; i < j->size && code == MPI_SUCCESS; i++) {
        const int dest = (j->rank + i) % j->size;
        code = call_Isend_c(start_of(out, dest), number(out->counts, dest), out->types[dest], dest,
                            tag, j->own, &requests[begun]);
        begun += code == MPI_SUCCESS;
    }
    if (code == MPI_SUCCESS)
        code = call_Waitall(begun, requests, MPI_STATUSES_IGNORE);
    free(requests);
    return code;
}

static int alltoallw(Joined *j, const Side *out, const Side *in)
{
    const int tag = first_tag(joined_of(j->own));
    return fail(j, out->buffer == MPI_IN_PLACE ? in_place(j, tag, in) : exchange(j, tag, out, in));
}

#define ALLTOALLW(name, COUNT, START, wide)                                                        \
    int call_##name(const void *sendbuf, const COUNT sendcounts[], const START sdispls[],          \
                    const MPI_Datatype sendtypes[], void *recvbuf, const COUNT recvcounts[],       \
                    const START rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm)          \
    {                                                                                              \
        Joined *j = joined_of(comm);                                                               \
        if (!j)                                                                                    \
            return below.name(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts,        \
                              rdispls, recvtypes, comm);                                           \
        const Side out = {(char *)sendbuf, {sendcounts, wide}, {sdispls, wide}, sendtypes};        \
        const Side in = {recvbuf, {recvcounts, wide}, {rdispls, wide}, recvtypes};                 \
        return alltoallw(j, &out, &in);                                                            \
    }

ALLTOALLW(Alltoallw, int, int, false)
ALLTOALLW(Alltoallw_c, MPI_Count, MPI_Aint, true)
