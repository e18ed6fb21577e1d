#include "../interpose/held.h"
#include "arrivals.h"
#include "gateway.h"
#include "messages.h"
#include "packing.h"
#include "types.h"
#include <limits.h>

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
    if (is_predefined_type(type))
        return MPI_SUCCESS;
    const int code = hold_type(type);
    r->holds_type = code == MPI_SUCCESS;
    return code;
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
    if (source == MPI_PROC_NULL)
        return below.Irecv_c(buffer, count, type, source, tag, j->local, request);
    Request *r = new_request(&receives, j);
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
