#include "persistent.h"
#include "calls.h"
#include "gateway.h"
#include "messages.h"
#include "statuses.h"
#include <stdlib.h>
#include <string.h>

/* What is begun each time. */
typedef struct {
    Begin *begin;
    MPI_Request active; /* MPI_REQUEST_NULL: it has not been started */
    Kept kept;
    max_align_t arguments[];
} Plan;

void *keep_array(Kept *kept, bool needed, const void *array, int elements, size_t element_bytes)
{
    const size_t bytes = (size_t)elements * element_bytes;
    if (!needed || !array)
        return NULL;
    void *copy = malloc(bytes + 1);
    if (copy)
        kept->arrays[kept->count++] = memcpy(copy, array, bytes);
    else
        kept->failed = true;
    return copy;
}

static void free_kept(const Kept *kept)
{
    for (int i = 0; i < kept->count; i++)
        free(kept->arrays[i]);
}

int plan_call(Joined *j, Begin *begin, const void *arguments, size_t bytes, const Kept *kept,
              MPI_Request *request)
{
    Plan *plan = kept->failed ? NULL : malloc(sizeof *plan + bytes);
    Request *r = plan ? new_request(PERSISTENT, j) : NULL;
    if (!r) {
        free_kept(kept);
        free(plan);
        return fail(j, MPI_ERR_NO_MEM);
    }
    outstanding--; /* what is begun counts by itself */
    plan->begin = begin;
    plan->active = MPI_REQUEST_NULL;
    plan->kept = *kept;
    memcpy(plan->arguments, arguments, bytes);
    r->work = plan;
    *request = (MPI_Request)r;
    return MPI_SUCCESS;
}

int call_Start(MPI_Request *request)
{
    Request *r = own_request(*request);
    if (!r)
        return below.Start(request);
    Plan *p = r->work;
    if (r->kind != PERSISTENT || p->active != MPI_REQUEST_NULL)
        return fail(r->joined, MPI_ERR_REQUEST);
    return p->begin(p->arguments, &p->active);
}

int call_Startall(int count, MPI_Request requests[])
{
    int code = MPI_SUCCESS;
    for (int i = 0; i < count && code == MPI_SUCCESS; i++)
        code = call_Start(&requests[i]);
    return code;
}

MPI_Request *under_way(MPI_Request *request)
{
    const Request *r = own_request(*request);
    return r && r->kind == PERSISTENT ? &((Plan *)r->work)->active : request;
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
    free_kept(&p->kept);
    free(p);
    free_request(r);
    return code;
}
