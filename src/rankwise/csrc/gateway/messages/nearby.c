#include "nearby.h"
#include "gateway.h"
#include "matching.h"
#include "messages.h"
#include "statuses.h"

/* It receives the message that the library has found. */
static int receive_found(Request *r, MPI_Message *message, const MPI_Status *status)
{
    if (world.old_library)
        return receive_below(r, status->MPI_SOURCE, status->MPI_TAG);
    return below.Imrecv_c(r->buffer, r->count, r->type, message, &r->native);
}

bool receive_locally(Joined *j, int source, int tag)
{
    const int local = source == MPI_ANY_SOURCE ? MPI_ANY_SOURCE : j->to_local[source];
    int there = 0;
    MPI_Status status;
    MPI_Message message = MPI_MESSAGE_NULL;
    const int found = world.old_library
                          ? below.Iprobe(local, tag, j->local, &there, &status)
                          : below.Improbe(local, tag, j->local, &there, &message, &status);
    if (found != MPI_SUCCESS || !there)
        return false;
    Request *r = take_posted(j->context, j->from_local[status.MPI_SOURCE], status.MPI_TAG);
    const int code = receive_found(r, &message, &status);
    if (code != MPI_SUCCESS)
        end_request(r, code);
    else if (r->forgotten)
        forget_below(r);
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
            if (may_be_local(c->joined, r->source) &&
                receive_locally(c->joined, r->source, r->tag)) {
                moved = true;
                r = c->posted; /* the list is another one now */
            } else {
                r = r->next;
            }
        }
    }
    return moved;
}

void nudge_library(void)
{
    const Joined *all = joined_of(MPI_COMM_WORLD);
    int there;
    if (all && all->own) /* not while these are made */
        below.Iprobe(MPI_ANY_SOURCE, world.tag_bound, all->own, &there, MPI_STATUS_IGNORE);
}

void end_below(Request *r, int code, const MPI_Status *status)
{
    r->native = MPI_REQUEST_NULL;
    r->told = code != MPI_SUCCESS;
    if (code == MPI_SUCCESS) {
        r->source = status->MPI_SOURCE >= 0 ? r->joined->from_local[status->MPI_SOURCE]
                                            : status->MPI_SOURCE;
        r->tag = status->MPI_TAG;
        r->bytes = bytes_that_came(status);
        r->cancelled = was_cancelled(status);
    }
    end_request(r, code);
}

int forget_below(Request *r)
{
    const int code = below.Request_free(&r->native);
    end_request(r, code);
    return code;
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
