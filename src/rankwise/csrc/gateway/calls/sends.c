/* MPI's functions that send. */
#include "calls.h"
#include "gateway.h"
#include "messages.h"
#include "requests.h"
#include <limits.h>

/* A request that has ended already: MPI_Ibsend's. */
static int ended_request(Joined *j, MPI_Request *request)
{
    Request *r = new_request(&sends, j);
    if (!r)
        return fail(j, MPI_ERR_NO_MEM);
    end_request(r, MPI_SUCCESS);
    *request = (MPI_Request)r;
    return MPI_SUCCESS;
}

static int send_now(Joined *j, const void *buffer, MPI_Count count, MPI_Datatype type, int dest,
                    int tag, SendMode mode)
{
    MPI_Request request = MPI_REQUEST_NULL;
    const bool here = dest >= 0 && dest < j->remote_size && j->to_local[dest] >= 0;
    if (here && !outstanding && mode == STANDARD && count >= 0 && count <= INT_MAX)
        return below.Send(buffer, (int)count, type, j->to_local[dest], tag, j->local);
    const int code = begin_send(j, buffer, count, type, dest, tag, mode, &request);
    return code == MPI_SUCCESS ? finish(&request, MPI_STATUS_IGNORE) : code;
}

#define BLOCKING(name, mode)                                                                       \
    int call_##name##_c(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest,         \
                        int tag, MPI_Comm comm)                                                    \
    {                                                                                              \
        Joined *j = joined_of(comm);                                                               \
        if (!j || dest == MPI_PROC_NULL)                                                           \
            return below.name##_c(buf, count, datatype, dest, tag, comm);                          \
        return send_now(j, buf, count, datatype, dest, tag, mode);                                 \
    }

#define NONBLOCKING(name, mode)                                                                    \
    int call_##name##_c(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest,         \
                        int tag, MPI_Comm comm, MPI_Request *request)                              \
    {                                                                                              \
        Joined *j = joined_of(comm);                                                               \
        if (!j || dest == MPI_PROC_NULL)                                                           \
            return below.name##_c(buf, count, datatype, dest, tag, comm, request);                 \
        const int code = begin_send(j, buf, count, datatype, dest, tag, mode, request);            \
        if (code == MPI_SUCCESS && *request == MPI_REQUEST_NULL)                                   \
            return ended_request(j, request);                                                      \
        return code;                                                                               \
    }

BLOCKING(Send, STANDARD)
BLOCKING(Rsend, STANDARD)
BLOCKING(Ssend, SYNCHRONOUS)
BLOCKING(Bsend, BUFFERED)
NONBLOCKING(Isend, STANDARD)
NONBLOCKING(Irsend, STANDARD)
NONBLOCKING(Issend, SYNCHRONOUS)
NONBLOCKING(Ibsend, BUFFERED)
