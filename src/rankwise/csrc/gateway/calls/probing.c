/* Messages that are looked at before they are received. */
#include "arrivals.h"
#include "calls.h"
#include "gateway.h"
#include "messages.h"
#include "nearby.h"
#include "progress.h"
#include "requests.h"
#include "statuses.h"

typedef struct {
    SlotKind slot;
    Joined *joined;
    Unexpected *remote; /* NULL: the library's */
    MPI_Message native;
} Message;

/* Sources and tags that cannot be are an error. */
static int check(const Joined *j, int source, int tag)
{
    if (source != MPI_ANY_SOURCE && (source < 0 || source >= j->remote_size))
        return MPI_ERR_RANK;
    return tag != MPI_ANY_TAG && (tag < 0 || tag > world.tag_bound) ? MPI_ERR_TAG : MPI_SUCCESS;
}

static bool may_be_here(const Joined *j, int source)
{
    return source == MPI_ANY_SOURCE || j->to_local[source] >= 0;
}

static int local_rank(const Joined *j, int source)
{
    return source == MPI_ANY_SOURCE ? MPI_ANY_SOURCE : j->to_local[source];
}

static void told(const Joined *j, const MPI_Status *here, MPI_Status *status)
{
    set_status(status, j->from_local[here->MPI_SOURCE], here->MPI_TAG, bytes_that_came(here),
               false);
}

/* What the library has and no receive is waiting for: one that is posted takes its message first.
 */
static int look_in_site(Joined *j, int source, int tag, int *flag, MPI_Status *here)
{
    for (;;) {
        const int code = below.Iprobe(local_rank(j, source), tag, j->local, flag, here);
        if (code != MPI_SUCCESS || !*flag)
            return code;
        const int from = j->from_local[here->MPI_SOURCE];
        if (!is_awaited(j->context, from, here->MPI_TAG))
            return code;
        receive_locally(j, from, here->MPI_TAG);
    }
}

static int look_for(Joined *j, int source, int tag, int *flag, MPI_Status *status)
{
    const Unexpected *u = find_unexpected(j, source, tag, false);
    MPI_Status here;
    *flag = u != NULL;
    if (u) {
        set_status(status, u->header.source, u->header.tag, u->header.length, false);
        return MPI_SUCCESS;
    }
    if (!may_be_here(j, source))
        return MPI_SUCCESS;
    const int code = look_in_site(j, source, tag, flag, &here);
    if (code == MPI_SUCCESS && *flag)
        told(j, &here, status);
    return code;
}

int call_Iprobe(int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status)
{
    Joined *j = joined_of(comm);
    if (!j || source == MPI_PROC_NULL)
        return below.Iprobe(source, tag, comm, flag, status);
    const int code = check(j, source, tag);
    if (code != MPI_SUCCESS)
        return fail(j, code);
    progress();
    return look_for(j, source, tag, flag, status);
}

int call_Probe(int source, int tag, MPI_Comm comm, MPI_Status *status)
{
    int flag = 0, code = MPI_SUCCESS;
    if (!joined_of(comm) || source == MPI_PROC_NULL)
        return below.Probe(source, tag, comm, status);
    while (!flag && code == MPI_SUCCESS)
        code = call_Iprobe(source, tag, comm, &flag, status);
    return code;
}

static int take_message(Joined *j, Unexpected *u, MPI_Message native, MPI_Message *message)
{
    Message *m = take_slot(MESSAGE_SLOT);
    if (!m)
        return fail(j, MPI_ERR_NO_MEM);
    m->joined = j;
    m->remote = u;
    m->native = native;
    j->uses++;
    *message = (MPI_Message)m;
    return MPI_SUCCESS;
}

/* The same, and nobody else gets it: another thread may, between a look and the taking. */
static int take_in_site(Joined *j, int source, int tag, int *flag, MPI_Message *native,
                        MPI_Status *here)
{
    for (;;) {
        int code = look_in_site(j, source, tag, flag, here);
        if (code == MPI_SUCCESS && *flag)
            code = below.Improbe(here->MPI_SOURCE, here->MPI_TAG, j->local, flag, native, here);
        else
            return code;
        if (code != MPI_SUCCESS || *flag)
            return code;
    }
}

int call_Improbe(int source, int tag, MPI_Comm comm, int *flag, MPI_Message *message,
                 MPI_Status *status)
{
    Joined *j = joined_of(comm);
    MPI_Status here;
    MPI_Message native = MPI_MESSAGE_NULL;
    if (!j || source == MPI_PROC_NULL)
        return below.Improbe(source, tag, comm, flag, message, status);
    int code = check(j, source, tag);
    if (code != MPI_SUCCESS)
        return fail(j, code);
    progress();
    Unexpected *u = find_unexpected(j, source, tag, true);
    *flag = u != NULL;
    if (u)
        set_status(status, u->header.source, u->header.tag, u->header.length, false);
    else if (may_be_here(j, source))
        code = take_in_site(j, source, tag, flag, &native, &here);
    if (code != MPI_SUCCESS || !*flag)
        return code;
    if (!u)
        told(j, &here, status);
    return take_message(j, u, native, message);
}

int call_Mprobe(int source, int tag, MPI_Comm comm, MPI_Message *message, MPI_Status *status)
{
    int flag = 0, code = MPI_SUCCESS;
    if (!joined_of(comm) || source == MPI_PROC_NULL || world.old_library)
        return below.Mprobe(source, tag, comm, message, status);
    while (!flag && code == MPI_SUCCESS)
        code = call_Improbe(source, tag, comm, &flag, message, status);
    return code;
}

int call_Imrecv_c(void *buf, MPI_Count count, MPI_Datatype datatype, MPI_Message *message,
                  MPI_Request *request)
{
    Message *m = (Message *)*message;
    if (!is_slot(m))
        return below.Imrecv_c(buf, count, datatype, message, request);
    Joined *j = m->joined;
    Request *r = new_request(&receives, j);
    int code =
        r ? describe_receive(r, buf, count, datatype, MPI_ANY_SOURCE, MPI_ANY_TAG) : MPI_ERR_NO_MEM;
    if (code == MPI_SUCCESS && m->remote) {
        give_message(r, m->remote);
    } else if (code == MPI_SUCCESS) {
        r->passed = true;
        outstanding--;
        code = below.Imrecv_c(buf, count, r->type, &m->native, &r->native);
    }
    if (code != MPI_SUCCESS) {
        if (r && !r->passed)
            outstanding--;
        if (r)
            free_request(r);
        return fail(j, code);
    }
    *request = (MPI_Request)r;
    *message = MPI_MESSAGE_NULL;
    release_joined(j);
    give_slot(m);
    return MPI_SUCCESS;
}

int call_Mrecv_c(void *buf, MPI_Count count, MPI_Datatype datatype, MPI_Message *message,
                 MPI_Status *status)
{
    MPI_Request request;
    if (!is_slot(*message))
        return below.Mrecv_c(buf, count, datatype, message, status);
    const int code = call_Imrecv_c(buf, count, datatype, message, &request);
    return code == MPI_SUCCESS ? finish(&request, status) : code;
}
