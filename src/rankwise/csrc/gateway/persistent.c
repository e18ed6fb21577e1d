#include "persistent.h"
#include "calls.h"
#include "gateway.h"
#include "messages.h"
#include "statuses.h"
#include <stdlib.h>

typedef int Begin(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
                  MPI_Comm comm, MPI_Request *request);

/* What is begun each time; begin is NULL for a receive. */
typedef struct {
    Begin *begin;
    MPI_Comm comm;
    int peer, tag;
    MPI_Request active; /* MPI_REQUEST_NULL: it has not been started */
} Plan;

static int plan_for(Joined *j, Begin *begin, const void *buffer, MPI_Count count, MPI_Datatype type,
                    int peer, int tag, MPI_Request *request)
{
    Request *r = new_request(PERSISTENT, j);
    Plan *plan = malloc(sizeof *plan);
    if (!r || !plan)
        return fail(j, MPI_ERR_NO_MEM);
    outstanding--; /* what is begun counts by itself */
    *plan = (Plan){begin, j->local, peer, tag, MPI_REQUEST_NULL};
    r->work = plan;
    r->buffer = (void *)buffer;
    r->count = count;
    r->type = type;
    *request = (MPI_Request)r;
    return MPI_SUCCESS;
}

#define SEND_INIT(name, begin)                                                                     \
    int call_##name##_init_c(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest,    \
                             int tag, MPI_Comm comm, MPI_Request *request)                         \
    {                                                                                              \
        Joined *j = joined_of(comm);                                                               \
        if (!j)                                                                                    \
            return below.name##_init_c(buf, count, datatype, dest, tag, comm, request);            \
        return plan_for(j, begin, buf, count, datatype, dest, tag, request);                       \
    }

SEND_INIT(Send, call_Isend_c)
SEND_INIT(Rsend, call_Irsend_c)
SEND_INIT(Ssend, call_Issend_c)
SEND_INIT(Bsend, call_Ibsend_c)

int call_Recv_init_c(void *buf, MPI_Count count, MPI_Datatype datatype, int source, int tag,
                     MPI_Comm comm, MPI_Request *request)
{
    Joined *j = joined_of(comm);
    if (!j)
        return below.Recv_init_c(buf, count, datatype, source, tag, comm, request);
    return plan_for(j, NULL, buf, count, datatype, source, tag, request);
}

int call_Start(MPI_Request *request)
{
    Request *r = own_request(*request);
    if (!r)
        return below.Start(request);
    Plan *p = r->work;
    if (r->kind != PERSISTENT || p->active != MPI_REQUEST_NULL)
        return fail(r->joined, MPI_ERR_REQUEST);
    if (p->begin)
        return p->begin(r->buffer, r->count, r->type, p->peer, p->tag, p->comm, &p->active);
    return call_Irecv_c(r->buffer, r->count, r->type, p->peer, p->tag, p->comm, &p->active);
}

int call_Startall(int count, MPI_Request requests[])
{
    int code = MPI_SUCCESS;
    for (int i = 0; i < count && code == MPI_SUCCESS; i++)
        code = call_Start(&requests[i]);
    return code;
}

bool is_active(const Request *r)
{
    return ((const Plan *)r->work)->active != MPI_REQUEST_NULL;
}

int look_at_persistent(Request *r, int *ended, MPI_Status *status)
{
    Plan *p = r->work;
    if (is_active(r))
        return look_at(&p->active, ended, status);
    *ended = 1;
    set_empty(status);
    return MPI_SUCCESS;
}

int peek_persistent(Request *r, int *ended, MPI_Status *status)
{
    Plan *p = r->work;
    return call_Request_get_status(p->active, ended, status);
}

int cancel_persistent(Request *r)
{
    Plan *p = r->work;
    return call_Cancel(&p->active);
}

int free_persistent(Request *r)
{
    Plan *p = r->work;
    const int code = is_active(r) ? call_Request_free(&p->active) : MPI_SUCCESS;
    free(p);
    free_request(r);
    return code;
}
