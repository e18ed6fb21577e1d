/* Waiting: for requests of ours and the library's side by side. The library may wait by itself only
 * where nothing of ours needs a turn. */
#include "calls.h"
#include "collectives.h"
#include "gateway.h"
#include "messages.h"
#include "persistent.h"
#include "statuses.h"
#include <sched.h>

/* Turns without anything, before the library has one, and before the core is offered to others. */
enum { OWN_TURNS = 4, PATIENCE = 64 };

/* The library has sends of this site to go on with, too, which nobody waits for now. */
static void nudge(void)
{
    int there;
    below.Iprobe(MPI_ANY_SOURCE, world.tag_bound, joined_of(MPI_COMM_WORLD)->own, &there,
                 MPI_STATUS_IGNORE);
}

void progress(void)
{
    static bool busy;
    static int idle;
    if (busy)
        return; /* a collective operation, which has its turn now, waits for its messages */
    busy = true;
    bool moved = progress_wire();
    moved |= progress_local();
    moved |= progress_collectives();
    busy = false;
    idle = moved ? 0 : idle + 1;
    if (idle % OWN_TURNS == OWN_TURNS - 1)
        nudge();
    if (idle > PATIENCE)
        sched_yield();
}

/* What MPI_Wait says of a request of ours that has ended, which goes with it. */
static int conclude(MPI_Request *request, MPI_Status *status)
{
    Request *r = own_request(*request);
    Joined *j = r->joined;
    const int code = r->code;
    if (r->kind == RECEIVES)
        set_status(status, r->source, r->tag, r->bytes, r->cancelled);
    else
        set_empty(status);
    j->uses++; /* for what is said of it below */
    free_request(r);
    *request = MPI_REQUEST_NULL;
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

/* All are the library's, and it may do as it likes. */
static bool all_native(int count, const MPI_Request *requests)
{
    for (int i = 0; i < count; i++)
        if (own_request(requests[i]))
            return false;
    return !outstanding;
}

static MPI_Status *status_of(MPI_Status *statuses, int index)
{
    return statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : &statuses[index];
}

static bool is_idle(MPI_Request request)
{
    const Request *r = own_request(request);
    return request == MPI_REQUEST_NULL || (r && r->kind == PERSISTENT && !is_active(r));
}

static void set_error(MPI_Status *status, int code)
{
    if (status != MPI_STATUS_IGNORE)
        status->MPI_ERROR = code;
}

int call_Waitall(int count, MPI_Request requests[], MPI_Status *statuses)
{
    int result = MPI_SUCCESS;
    if (all_native(count, requests))
        return below.Waitall(count, requests, statuses);
    for (int i = 0; i < count; i++) {
        const int code = finish(&requests[i], status_of(statuses, i));
        set_error(status_of(statuses, i), code);
        if (code != MPI_SUCCESS)
            result = MPI_ERR_IN_STATUS;
    }
    return result;
}

/* Whether this one has ended, without ending it. */
static int peek(MPI_Request request, int *ended, MPI_Status *status)
{
    Request *r = own_request(request);
    if (!r)
        return below.Request_get_status(request, ended, status);
    if (r->kind == PERSISTENT)
        return peek_persistent(r, ended, status);
    if (!r->done && r->native != MPI_REQUEST_NULL)
        look_below(r);
    *ended = r->done;
    if (r->done && r->kind == RECEIVES)
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

int call_Testall(int count, MPI_Request requests[], int *flag, MPI_Status *statuses)
{
    int result = MPI_SUCCESS;
    if (world.started)
        progress();
    if (all_native(count, requests))
        return below.Testall(count, requests, flag, statuses);
    *flag = 1;
    for (int i = 0; i < count && *flag; i++)
        if (requests[i] != MPI_REQUEST_NULL)
            peek(requests[i], flag, MPI_STATUS_IGNORE);
    for (int i = 0; i < count && *flag; i++) {
        const int code = finish(&requests[i], status_of(statuses, i));
        set_error(status_of(statuses, i), code);
        if (code != MPI_SUCCESS)
            result = MPI_ERR_IN_STATUS;
    }
    return result;
}

int call_Testany(int count, MPI_Request requests[], int *index, int *flag, MPI_Status *status)
{
    bool some = false;
    if (world.started)
        progress();
    if (all_native(count, requests))
        return below.Testany(count, requests, index, flag, status);
    *index = MPI_UNDEFINED;
    *flag = 0;
    for (int i = 0; i < count; i++) {
        if (is_idle(requests[i]))
            continue;
        some = true;
        const int code = look_at(&requests[i], flag, status);
        if (*flag || code != MPI_SUCCESS) {
            *flag = 1;
            *index = i;
            return code;
        }
    }
    if (!some) {
        *flag = 1;
        set_empty(status);
    }
    return MPI_SUCCESS;
}

int call_Waitany(int count, MPI_Request requests[], int *index, MPI_Status *status)
{
    int flag = 0, code = MPI_SUCCESS;
    if (all_native(count, requests))
        return below.Waitany(count, requests, index, status);
    while (!flag && code == MPI_SUCCESS)
        code = call_Testany(count, requests, index, &flag, status);
    return code;
}

int call_Testsome(int incount, MPI_Request requests[], int *outcount, int indices[],
                  MPI_Status *statuses)
{
    int result = MPI_SUCCESS, some = 0;
    if (world.started)
        progress();
    if (all_native(incount, requests))
        return below.Testsome(incount, requests, outcount, indices, statuses);
    *outcount = 0;
    for (int i = 0; i < incount; i++) {
        int ended = 0;
        if (is_idle(requests[i]))
            continue;
        some = 1;
        MPI_Status *status = status_of(statuses, *outcount);
        const int code = look_at(&requests[i], &ended, status);
        if (!ended && code == MPI_SUCCESS)
            continue;
        set_error(status, code);
        indices[(*outcount)++] = i;
        if (code != MPI_SUCCESS)
            result = MPI_ERR_IN_STATUS;
    }
    if (!some)
        *outcount = MPI_UNDEFINED;
    return result;
}

int call_Waitsome(int incount, MPI_Request requests[], int *outcount, int indices[],
                  MPI_Status *statuses)
{
    int code = MPI_SUCCESS;
    if (all_native(incount, requests))
        return below.Waitsome(incount, requests, outcount, indices, statuses);
    *outcount = 0;
    while (!*outcount && code == MPI_SUCCESS)
        code = call_Testsome(incount, requests, outcount, indices, statuses);
    return code;
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

int call_Request_get_status_all(int count, const MPI_Request requests[], int *flag,
                                MPI_Status *statuses)
{
    int code = MPI_SUCCESS;
    *flag = 1;
    for (int i = 0; i < count && *flag && code == MPI_SUCCESS; i++)
        code = call_Request_get_status(requests[i], flag, status_of(statuses, i));
    return code;
}

int call_Request_get_status_any(int count, const MPI_Request requests[], int *index, int *flag,
                                MPI_Status *status)
{
    int code = MPI_SUCCESS;
    bool some = false;
    *flag = 0;
    *index = MPI_UNDEFINED;
    for (int i = 0; i < count && !*flag && code == MPI_SUCCESS; i++) {
        if (is_idle(requests[i]))
            continue;
        some = true;
        code = call_Request_get_status(requests[i], flag, status);
        if (*flag)
            *index = i;
    }
    if (!some) {
        *flag = 1;
        set_empty(status);
    }
    return code;
}

int call_Request_get_status_some(int incount, const MPI_Request requests[], int *outcount,
                                 int indices[], MPI_Status *statuses)
{
    int code = MPI_SUCCESS, ended;
    bool some = false;
    *outcount = 0;
    for (int i = 0; i < incount && code == MPI_SUCCESS; i++) {
        if (is_idle(requests[i]))
            continue;
        some = true;
        code = call_Request_get_status(requests[i], &ended, status_of(statuses, *outcount));
        if (code == MPI_SUCCESS && ended)
            indices[(*outcount)++] = i;
    }
    if (!some)
        *outcount = MPI_UNDEFINED;
    return code;
}

/* Handles of ours as numbers: beyond what libraries count from 0, and no address. */
enum { NUMBERS_OF_OURS = 1 << 24 };

int call_Request_toint(MPI_Request request)
{
    return is_slot(request) ? NUMBERS_OF_OURS + (int)number_of_slot(request)
                            : below.Request_toint(request);
}

MPI_Request call_Request_fromint(int request)
{
    if (request >= NUMBERS_OF_OURS && request < NUMBERS_OF_OURS + SLOT_COUNT)
        return slot_of_number((uint64_t)(request - NUMBERS_OF_OURS), REQUEST_SLOT);
    return below.Request_fromint(request);
}

int call_Message_toint(MPI_Message message)
{
    return is_slot(message) ? NUMBERS_OF_OURS + (int)number_of_slot(message)
                            : below.Message_toint(message);
}

MPI_Message call_Message_fromint(int message)
{
    if (message >= NUMBERS_OF_OURS && message < NUMBERS_OF_OURS + SLOT_COUNT)
        return slot_of_number((uint64_t)(message - NUMBERS_OF_OURS), MESSAGE_SLOT);
    return below.Message_fromint(message);
}
