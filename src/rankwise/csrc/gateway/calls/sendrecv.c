/* A message out and one in, by one call. */
#include "batch.h"
#include "calls.h"
#include "messages.h"
#include "packing.h"
#include "requests.h"
#include "types.h"
#include <stdlib.h>

int call_Isendrecv_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, int dest,
                     int sendtag, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
                     int source, int recvtag, MPI_Comm comm, MPI_Request *request)
{
    Joined *j = joined_of(comm);
    if (!j)
        return below.Isendrecv_c(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount,
                                 recvtype, source, recvtag, comm, request);
    Batch *batch = new_batch(j, 2);
    if (!batch)
        return fail(j, MPI_ERR_NO_MEM);
    batch_send(batch, sendbuf, sendcount, sendtype, dest, sendtag);
    batch_receive(batch, recvbuf, recvcount, recvtype, source, recvtag);
    return end_batch(batch, j, &exchanges, request);
}

int call_Isendrecv_replace_c(void *buf, MPI_Count count, MPI_Datatype datatype, int dest,
                             int sendtag, int source, int recvtag, MPI_Comm comm,
                             MPI_Request *request)
{
    Joined *j = joined_of(comm);
    if (!j)
        return below.Isendrecv_replace_c(buf, count, datatype, dest, sendtag, source, recvtag, comm,
                                         request);
    Batch *batch = new_batch(j, 2);
    if (!batch)
        return fail(j, MPI_ERR_NO_MEM);
    batch_send_copy(batch, buf, count, datatype, dest, sendtag);
    batch_receive(batch, buf, count, datatype, source, recvtag);
    return end_batch(batch, j, &exchanges, request);
}

int call_Sendrecv_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, int dest,
                    int sendtag, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
                    int source, int recvtag, MPI_Comm comm, MPI_Status *status)
{
    Joined *j = joined_of(comm);
    MPI_Request receive, sending;
    if (!j)
        return below.Sendrecv_c(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount,
                                recvtype, source, recvtag, comm, status);
    int code = begin_receive(j, recvbuf, recvcount, recvtype, source, recvtag, &receive);
    if (code != MPI_SUCCESS)
        return code;
    code = begin_send(j, sendbuf, sendcount, sendtype, dest, sendtag, STANDARD, &sending);
    if (code != MPI_SUCCESS) {
        cancel(&receive);
        finish(&receive, MPI_STATUS_IGNORE);
        return code;
    }
    code = finish(&receive, status);
    const int other = finish(&sending, MPI_STATUS_IGNORE);
    return code != MPI_SUCCESS ? code : other;
}

int call_Sendrecv_replace_c(void *buf, MPI_Count count, MPI_Datatype datatype, int dest,
                            int sendtag, int source, int recvtag, MPI_Comm comm, MPI_Status *status)
{
    Joined *j = joined_of(comm);
    const TypeFacts facts = facts_of(datatype);
    char *copy = NULL;
    if (!j)
        return below.Sendrecv_replace_c(buf, count, datatype, dest, sendtag, source, recvtag, comm,
                                        status);
    if (count < 0 || facts.bytes < 0)
        return fail(j, count < 0 ? MPI_ERR_COUNT : MPI_ERR_TYPE);
    const MPI_Count bytes = count * facts.bytes;
    int code = pack(buf, count, datatype, (uint64_t)bytes, goes_external(j, dest), &copy);
    if (code != MPI_SUCCESS)
        return fail(j, code);
    code = call_Sendrecv_c(copy, bytes, MPI_PACKED, dest, sendtag, buf, count, datatype, source,
                           recvtag, comm, status);
    free(copy);
    return code;
}
