/* MPI's functions that receive. */
#include "calls.h"
#include "gateway.h"
#include "messages.h"
#include "requests.h"
#include <limits.h>

int call_Irecv_c(void *buf, MPI_Count count, MPI_Datatype datatype, int source, int tag,
                 MPI_Comm comm, MPI_Request *request)
{
    Joined *j = joined_of(comm);
    if (!j)
        return below.Irecv_c(buf, count, datatype, source, tag, comm, request);
    return begin_receive(j, buf, count, datatype, source, tag, request);
}

/* Nobody else needs a turn meanwhile: the library may wait by itself. */
static int receive_in_site(Joined *j, void *buffer, int count, MPI_Datatype type, int source,
                           int tag, MPI_Status *status)
{
    MPI_Status here;
    const int code = below.Recv(buffer, count, type, j->to_local[source], tag, j->local, &here);
    if (code == MPI_SUCCESS && status != MPI_STATUS_IGNORE) {
        const int error = status->MPI_ERROR;
        *status = here;
        status->MPI_ERROR = error;
        status->MPI_SOURCE = source;
    }
    return code;
}

int call_Recv_c(void *buf, MPI_Count count, MPI_Datatype datatype, int source, int tag,
                MPI_Comm comm, MPI_Status *status)
{
    Joined *j = joined_of(comm);
    MPI_Request request;
    if (!j || source == MPI_PROC_NULL)
        return below.Recv_c(buf, count, datatype, source, tag, comm, status);
    if (source >= 0 && source < j->remote_size && j->to_local[source] >= 0 && !outstanding &&
        count >= 0 && count <= INT_MAX)
        return receive_in_site(j, buf, (int)count, datatype, source, tag, status);
    const int code = begin_receive(j, buf, count, datatype, source, tag, &request);
    return code == MPI_SUCCESS ? finish(&request, status) : code;
}
