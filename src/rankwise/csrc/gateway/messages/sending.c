#include "gateway.h"
#include "messages.h"
#include "packing.h"
#include "types.h"
#include <limits.h>
#include <stdlib.h>

enum { LEAST_PART = 64 << 10 };

long sends_under_way;
const RequestKind sends = {0}; /* what has been sent to another site arrives: none is cancelled */

static int send_below(Joined *j, const void *buffer, MPI_Count count, MPI_Datatype type, int dest,
                      int tag, SendMode mode, MPI_Request *request)
{
    const bool small = count <= INT_MAX;
    const int to = j->to_local[dest];
    if (mode == SYNCHRONOUS)
        return small ? below.Issend(buffer, (int)count, type, to, tag, j->local, request)
                     : below.Issend_c(buffer, count, type, to, tag, j->local, request);
    if (mode == BUFFERED)
        return below.Ibsend_c(buffer, count, type, to, tag, j->local, request);
    return small ? below.Isend(buffer, (int)count, type, to, tag, j->local, request)
                 : below.Isend_c(buffer, count, type, to, tag, j->local, request);
}

/* The library's request under a handle of ours, which can be looked at without ending. */
static int wrap(Joined *j, MPI_Request *request)
{
    Request *r = new_request(&sends, j);
    if (!r)
        return fail(j, MPI_ERR_NO_MEM);
    outstanding--;
    r->passed = true;
    r->native = *request;
    *request = (MPI_Request)r;
    return MPI_SUCCESS;
}

/* What of a message goes out at once: no small part of it. -1: not even nothing, for want of
 * credit. */
static int64_t bytes_at_once(const Peer *p, uint64_t bytes)
{
    const int64_t most = p->credit - (int64_t)sizeof(Header);
    if (most < 0 || bytes <= (uint64_t)most)
        return most < 0 ? -1 : (int64_t)bytes;
    return most < LEAST_PART ? 0 : most;
}

/* Its message goes out, or is announced. */
static void send_remote(Request *r, SendMode mode)
{
    Joined *j = r->joined;
    Peer *p = r->peer;
    const int64_t now = bytes_at_once(p, r->bytes);
    const bool eager = mode != SYNCHRONOUS && now == (int64_t)r->bytes;
    r->so_far = now > 0 ? (uint64_t)now : 0;
    r->out.header = (Header){.kind = eager ? EAGER : ASKS,
                             .context = j->number,
                             .source = j->rank,
                             .tag = r->tag,
                             .length = r->bytes,
                             .follows = r->so_far,
                             .sender = number_of_slot(r)};
    r->out.request = r;
    r->out.data = r->packed ? r->packed : r->buffer;
    if (eager || r->so_far)
        p->credit -= (int64_t)(r->so_far + sizeof(Header));
    send_out(p, &r->out);
}

static void end_send(Request *r)
{
    free(r->packed);
    r->packed = NULL;
    sends_under_way--;
    end_request(r, MPI_SUCCESS);
}

/* The rest of an announced message, once the other process has a place for it and all else of it
 * has gone out. */
static void send_rest(Request *r)
{
    const uint64_t left = r->bytes - r->so_far;
    if (!left) {
        end_send(r);
        return;
    }
    r->out.header.kind = DATA;
    r->out.header.follows = left;
    r->out.header.receiver = r->other_request;
    r->out.data = (r->packed ? r->packed : (char *)r->buffer) + r->so_far;
    send_out(r->peer, &r->out);
}

bool take_grant(Request *r, uint64_t other_request)
{
    const Outgoing *out = &r->out;
    if (out->header.kind != ASKS || r->granted || out->sent < sizeof out->header)
        return false; /* it has been sent, or not even announced */
    r->granted = true;
    r->other_request = other_request;
    if (out->sent == sizeof out->header + out->header.follows)
        send_rest(r);
    return true;
}

void end_sending(Request *r, Outgoing *message)
{
    if (message->header.kind != ASKS)
        end_send(r);
    else if (r->granted)
        send_rest(r);
}

static int check_send(const Joined *j, MPI_Count count, TypeFacts facts, int dest, int tag)
{
    if (dest < 0 || dest >= j->remote_size)
        return MPI_ERR_RANK;
    if (tag < 0 || tag > world.tag_bound)
        return MPI_ERR_TAG;
    return count < 0 ? MPI_ERR_COUNT : facts.bytes < 0 ? MPI_ERR_TYPE : MPI_SUCCESS;
}

int begin_send(Joined *j, const void *buffer, MPI_Count count, MPI_Datatype type, int dest, int tag,
               SendMode mode, MPI_Request *request)
{
    if (dest == MPI_PROC_NULL)
        return below.Isend_c(buffer, count, type, dest, tag, j->local, request);
    const TypeFacts facts = facts_of(type);
    int code = check_send(j, count, facts, dest, tag);
    if (code != MPI_SUCCESS)
        return fail(j, code);
    if (j->to_local[dest] >= 0) {
        code = send_below(j, buffer, count, type, dest, tag, mode, request);
        return code == MPI_SUCCESS && world.old_library ? wrap(j, request) : code;
    }
    const uint64_t bytes = (uint64_t)count * (uint64_t)facts.bytes;
    Request *r = new_request(&sends, j);
    if (!r)
        return fail(j, MPI_ERR_NO_MEM);
    r->tag = tag;
    r->bytes = bytes;
    r->buffer = (void *)buffer;
    r->peer = &peers[j->remote_rank[dest]];
    const bool external = goes_external(j, dest) && facts.bytes > 1;
    if (!facts.plain || mode == BUFFERED || external)
        code = pack(buffer, count, type, bytes, external, &r->packed);
    if (code != MPI_SUCCESS) {
        outstanding--;
        free_request(r);
        return fail(j, code);
    }
    if (mode == BUFFERED) { /* as far as the program sees it has ended */
        r->forgotten = true;
        *request = MPI_REQUEST_NULL;
    } else {
        *request = (MPI_Request)r;
    }
    sends_under_way++;
    send_remote(r, mode);
    return MPI_SUCCESS;
}
