/* Receives that wait here, and that the library may have a message for. */
#include "gateway.h"
#include "messages.h"
#include "statuses.h"

/* The library has a message for one of them: the first that it fits gets it. */
static bool receive_locally(Context *c, const Request *asks)
{
    Joined *j = c->joined;
    const int source = asks->source == MPI_ANY_SOURCE ? MPI_ANY_SOURCE : j->to_local[asks->source];
    int there = 0;
    MPI_Status status;
    if (below.Iprobe(source, asks->tag, j->local, &there, &status) != MPI_SUCCESS || !there)
        return false;
    Request *r = take_posted(c, j->from_local[status.MPI_SOURCE], status.MPI_TAG);
    const int code = receive_below(r, status.MPI_SOURCE, status.MPI_TAG);
    if (code != MPI_SUCCESS)
        end_request(r, code);
    return true;
}

bool progress_local(void)
{
    bool moved = false;
    if (!local_waits)
        return false;
    for (Context *c = contexts; c; c = c->older) {
        if (!c->local_waits)
            continue;
        Request *r = c->posted;
        while (r) {
            if (may_be_local(c->joined, r->source) && receive_locally(c, r)) {
                moved = true;
                r = c->posted; /* the list is another one now */
            } else {
                r = r->next;
            }
        }
    }
    return moved;
}

void end_below(Request *r, int code, const MPI_Status *status)
{
    r->native = MPI_REQUEST_NULL;
    if (code == MPI_SUCCESS) {
        r->source = status->MPI_SOURCE >= 0 ? r->joined->from_local[status->MPI_SOURCE]
                                            : status->MPI_SOURCE;
        r->tag = status->MPI_TAG;
        r->bytes = bytes_that_came(status);
        r->cancelled = was_cancelled(status);
    }
    end_request(r, code);
}

void look_below(Request *r)
{
    int ended = 0;
    MPI_Status status = {0};
    const int code = below.Test(&r->native, &ended, &status);
    if (code != MPI_SUCCESS || ended)
        end_below(r, code, &status);
}

void wait_below(Request *r)
{
    MPI_Status status = {0};
    const int code = below.Wait(&r->native, &status);
    end_below(r, code, &status);
}
