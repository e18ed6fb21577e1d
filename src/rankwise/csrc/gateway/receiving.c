#include "calls.h"
#include "gateway.h"
#include "messages.h"
#include "packing.h"
#include "statuses.h"
#include <limits.h>
#include <stdlib.h>

int describe_receive(Request *r, void *buffer, MPI_Count count, MPI_Datatype type, int source,
                     int tag)
{
    const TypeFacts facts = facts_of(type);
    if (source != MPI_ANY_SOURCE && (source < 0 || source >= r->joined->remote_size))
        return MPI_ERR_RANK;
    if (tag != MPI_ANY_TAG && (tag < 0 || tag > world.tag_bound))
        return MPI_ERR_TAG;
    if (count < 0 || facts.bytes < 0)
        return count < 0 ? MPI_ERR_COUNT : MPI_ERR_TYPE;
    r->source = source;
    r->tag = tag;
    r->buffer = buffer;
    r->count = count;
    r->type = type;
    r->plain = facts.plain;
    r->room = (uint64_t)count * (uint64_t)facts.bytes;
    return keep_type(&r->type, &r->own_type);
}

int receive_below(Request *r, int local_source, int tag)
{
    if (r->count <= INT_MAX)
        return below.Irecv(r->buffer, (int)r->count, r->type, local_source, tag, r->joined->local,
                           &r->native);
    return below.Irecv_c(r->buffer, r->count, r->type, local_source, tag, r->joined->local,
                         &r->native);
}

int begin_receive(Joined *j, void *buffer, MPI_Count count, MPI_Datatype type, int source, int tag,
                  MPI_Request *request)
{
    Request *r = new_request(RECEIVES, j);
    if (!r)
        return fail(j, MPI_ERR_NO_MEM);
    int code = describe_receive(r, buffer, count, type, source, tag);
    if (code == MPI_SUCCESS && source != MPI_ANY_SOURCE && j->to_local[source] >= 0 &&
        !must_wait(j, source)) {
        r->passed = true;
        outstanding--;
        code = receive_below(r, j->to_local[source], tag);
    } else if (code == MPI_SUCCESS) {
        post_receive(r);
    }
    if (code != MPI_SUCCESS) {
        if (!r->passed)
            outstanding--;
        free_request(r);
        return fail(j, code);
    }
    *request = (MPI_Request)r;
    return MPI_SUCCESS;
}

int call_Irecv_c(void *buf, MPI_Count count, MPI_Datatype datatype, int source, int tag,
                 MPI_Comm comm, MPI_Request *request)
{
    Joined *j = joined_of(comm);
    if (!j || source == MPI_PROC_NULL)
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
