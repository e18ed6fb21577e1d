#include "persistent.h"
#include "../interpose/held.h"
#include "gateway.h"
#include "requests.h"
#include <stdlib.h>
#include <string.h>

/* What is begun each time. */
typedef struct {
    Joined *joined;
    Begin *begin;
    CallTags *tags;     /* NULL: it is a message */
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
        kept->arrays[kept->count++].copy = memcpy(copy, array, bytes);
    else
        kept->failed = true;
    return copy;
}

MPI_Datatype *keep_types(Kept *kept, bool needed, const MPI_Datatype *types, int count)
{
    MPI_Datatype *copy = keep_array(kept, needed, types, count, sizeof *types);
    for (int i = 0; copy && i < count && !kept->failed; i++)
        if (hold_type(copy[i]) == MPI_SUCCESS)
            kept->arrays[kept->count - 1].types++;
        else
            kept->failed = true;
    return copy;
}

MPI_Datatype keep_type(Kept *kept, MPI_Datatype type)
{
    if (hold_type(type) == MPI_SUCCESS)
        kept->type[kept->types++] = type;
    else
        kept->failed = true;
    return type;
}

MPI_Op keep_op(Kept *kept, MPI_Op op)
{
    kept->op = op;
    kept->holds_op = hold_op(op) == MPI_SUCCESS;
    kept->failed |= !kept->holds_op;
    return op;
}

static void free_kept(const Kept *kept)
{
    for (int i = 0; i < kept->count; i++) {
        for (int t = 0; t < kept->arrays[i].types; t++)
            release_type(((MPI_Datatype *)kept->arrays[i].copy)[t]);
        free(kept->arrays[i].copy);
    }
    for (int i = 0; i < kept->types; i++)
        release_type(kept->type[i]);
    if (kept->holds_op)
        release_op(kept->op);
}

static MPI_Request *active(Request *r)
{
    return &((Plan *)r->work)->active;
}

static int free_plan(Request *r)
{
    Plan *p = r->work;
    const int code = p->active != MPI_REQUEST_NULL ? let_go(&p->active) : MPI_SUCCESS;
    free_kept(&p->kept);
    if (p->tags)
        leave_tags(p->tags);
    free(p);
    free_request(r);
    return code;
}

static const RequestKind planned = {.active = active, .free = free_plan};

int plan_call(Joined *j, Begin *begin, const void *arguments, size_t bytes, const Kept *kept,
              bool is_collective, MPI_Request *request)
{
    CallTags *tags = is_collective ? take_persistent_tags(&joined_of(j->own)->tags_in_use) : NULL;
    Plan *plan = kept->failed || (is_collective && !tags) ? NULL : malloc(sizeof *plan + bytes);
    Request *r = plan ? new_request(&planned, j) : NULL;
    if (!r) {
        if (tags)
            leave_tags(tags);
        free_kept(kept);
        free(plan);
        return fail(j, MPI_ERR_NO_MEM);
    }
    outstanding--; /* what is begun counts by itself */
    *plan = (Plan){j, begin, tags, MPI_REQUEST_NULL, *kept};
    memcpy(plan->arguments, arguments, bytes);
    r->work = plan;
    *request = (MPI_Request)r;
    return MPI_SUCCESS;
}

int start(MPI_Request *request)
{
    Request *r = own_request(*request);
    if (!r)
        return below.Start(request);
    Plan *p = r->work;
    if (r->kind != &planned || p->active != MPI_REQUEST_NULL)
        return fail(r->joined, MPI_ERR_REQUEST);
    return p->begin(p->joined, p->arguments, p->tags, &p->active);
}
