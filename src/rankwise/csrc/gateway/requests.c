/* Requests one by one: of ours, and the library's side by side. */
#include "calls.h"
#include "gateway.h"
#include "messages.h"
#include "persistent.h"
#include "statuses.h"

_Static_assert(sizeof(Request) <= SLOT_BYTES, "a request fits its slot");

long outstanding, sends_under_way;

Request *new_request(RequestKind kind, Joined *joined)
{
    Request *r = take_slot(REQUEST_SLOT);
    if (!r)
        return NULL;
    r->kind = kind;
    r->joined = joined;
    r->native = MPI_REQUEST_NULL;
    joined->uses++;
    outstanding++;
    return r;
}

void free_request(Request *r)
{
    if (r->own_type)
        below.Type_free(&r->type);
    release_joined(r->joined);
    give_slot(r);
}

void end_request(Request *r, int code)
{
    r->code = code;
    r->done = true;
    if (!r->passed)
        outstanding--;
    if (r->forgotten)
        free_request(r);
}

static bool has_status(const Request *r)
{
    return r->kind == RECEIVES || r->kind == EXCHANGE;
}

/* What MPI_Wait says of a request of ours that has ended, which goes with it. */
static int conclude(MPI_Request *request, MPI_Status *status)
{
    Request *r = own_request(*request);
    Joined *j = r->joined;
    const RequestKind kind = r->kind;
    const int code = r->code;
    if (has_status(r))
        set_status(status, r->source, r->tag, r->bytes, r->cancelled);
    else
        set_empty(status);
    j->uses++; /* for what is said of it below */
    free_request(r);
    *request = MPI_REQUEST_NULL;
    if (kind != EXCHANGE) /* whose messages have told of it */
        fail(j, code);
    release_joined(j);
    return code;
}

int look_at(MPI_Request *request, int *ended, MPI_Status *status)
{
    Request *r = own_request(*request);
    *ended = 0;
    if (!r)
        return below.Test(request, ended, status);
    if (r->kind == PERSISTENT)
        return look_at_persistent(r, ended, status);
    if (!r->done && r->native != MPI_REQUEST_NULL)
        look_below(r);
    if (!r->done)
        return MPI_SUCCESS;
    *ended = 1;
    return conclude(request, status);
}

int finish(MPI_Request *request, MPI_Status *status)
{
    Request *r = own_request(*request);
    int ended = 0, code = MPI_SUCCESS;
    if (!r && !outstanding)
        return below.Wait(request, status);
    if (r && !outstanding && r->passed && !r->done && r->native != MPI_REQUEST_NULL)
        wait_below(r);
    while (!ended && code == MPI_SUCCESS) {
        code = look_at(request, &ended, status);
        if (!ended)
            progress();
    }
    return code;
}

int call_Wait(MPI_Request *request, MPI_Status *status)
{
    return finish(request, status);
}

int call_Test(MPI_Request *request, int *flag, MPI_Status *status)
{
    if (world.started)
        progress();
    return look_at(request, flag, status);
}

int peek(MPI_Request request, int *ended, MPI_Status *status)
{
    Request *r = own_request(request);
    if (!r)
        return below.Request_get_status(request, ended, status);
    if (r->kind == PERSISTENT)
        return peek_persistent(r, ended, status);
    if (!r->done && r->native != MPI_REQUEST_NULL)
        look_below(r);
    *ended = r->done;
    if (r->done && has_status(r))
        set_status(status, r->source, r->tag, r->bytes, r->cancelled);
    else if (r->done)
        set_empty(status);
    return MPI_SUCCESS;
}

int call_Request_get_status(MPI_Request request, int *flag, MPI_Status *status)
{
    if (world.started)
        progress();
    return peek(request, flag, status);
}

int call_Cancel(MPI_Request *request)
{
    Request *r = own_request(*request);
    if (!r)
        return below.Cancel(request);
    if (r->kind == PERSISTENT)
        return cancel_persistent(r);
    if (r->native != MPI_REQUEST_NULL)
        return below.Cancel(&r->native);
    if (r->kind == RECEIVES && !r->done)
        cancel_receive(r); /* what has been sent to another site arrives */
    return MPI_SUCCESS;
}

int call_Request_free(MPI_Request *request)
{
    Request *r = own_request(*request);
    if (!r)
        return below.Request_free(request);
    *request = MPI_REQUEST_NULL;
    if (r->kind == PERSISTENT)
        return free_persistent(r);
    if (r->native != MPI_REQUEST_NULL && r->passed) {
        const int code = below.Request_free(&r->native);
        free_request(r);
        return code;
    }
    if (r->done)
        free_request(r);
    else
        r->forgotten = true;
    return MPI_SUCCESS;
}
