#include "requests.h"
#include "gateway.h"
#include "nearby.h"
#include "progress.h"
#include "statuses.h"

/* What MPI_Wait says of a request of ours that has ended, which goes with it. */
static int conclude(MPI_Request *request, MPI_Status *status)
{
    Request *r = own_request(*request);
    Joined *j = r->joined;
    const bool told = r->told || r->kind->told;
    const int code = r->code;
    if (r->kind->has_status)
        set_status(status, r->source, r->tag, r->bytes, r->cancelled);
    else
        set_empty(status);
    j->uses++; /* for what is said of it below */
    free_request(r);
    *request = MPI_REQUEST_NULL;
    if (!told)
        fail(j, code);
    release_joined(j);
    return code;
}

/* One that has not been started has ended. */
static int look_at_active(MPI_Request *active, int *ended, MPI_Status *status)
{
    if (*active != MPI_REQUEST_NULL)
        return look_at(active, ended, status);
    *ended = 1;
    set_empty(status);
    return MPI_SUCCESS;
}

int look_at(MPI_Request *request, int *ended, MPI_Status *status)
{
    Request *r = own_request(*request);
    *ended = 0;
    if (!r)
        return below.Test(request, ended, status);
    if (r->kind->active)
        return look_at_active(r->kind->active(r), ended, status);
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

int peek(MPI_Request request, int *ended, MPI_Status *status)
{
    Request *r = own_request(request);
    if (!r)
        return below.Request_get_status(request, ended, status);
    if (r->kind->active)
        return peek(*r->kind->active(r), ended, status);
    if (!r->done && r->native != MPI_REQUEST_NULL)
        look_below(r);
    *ended = r->done;
    if (r->done && r->kind->has_status)
        set_status(status, r->source, r->tag, r->bytes, r->cancelled);
    else if (r->done)
        set_empty(status);
    return MPI_SUCCESS;
}

int cancel(MPI_Request *request)
{
    Request *r = own_request(*request);
    if (!r)
        return below.Cancel(request);
    if (r->kind->active)
        return cancel(r->kind->active(r));
    if (r->native != MPI_REQUEST_NULL)
        return below.Cancel(&r->native);
    if (r->kind->cancel && !r->done)
        r->kind->cancel(r);
    return MPI_SUCCESS;
}

int let_go(MPI_Request *request)
{
    Request *r = own_request(*request);
    if (!r)
        return below.Request_free(request);
    *request = MPI_REQUEST_NULL;
    if (r->kind->free)
        return r->kind->free(r);
    if (r->done) {
        free_request(r);
        return MPI_SUCCESS;
    }
    r->forgotten = true;
    return r->native == MPI_REQUEST_NULL ? MPI_SUCCESS : forget_below(r);
}
