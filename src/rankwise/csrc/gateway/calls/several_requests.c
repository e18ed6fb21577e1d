/* Several requests at once. The library may wait by itself only where nothing of ours needs a
 * turn. */
#include "calls.h"
#include "gateway.h"
#include "natives.h"
#include "progress.h"
#include "requests.h"
#include "statuses.h"

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
    return *under_way(&request) == MPI_REQUEST_NULL;
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

int call_Testall(int count, MPI_Request requests[], int *flag, MPI_Status *statuses)
{
    int result = MPI_SUCCESS;
    if (world.started)
        progress();
    if (all_native(count, requests))
        return below.Testall(count, requests, flag, statuses);
    *flag = 1;
    for (int i = 0; i < count && *flag; i++)
        if (own_request(*under_way(&requests[i])))
            peek(*under_way(&requests[i]), flag, MPI_STATUS_IGNORE);
    if (*flag)
        result = test_all_natives(count, requests, flag, statuses);
    for (int i = 0; i < count && *flag; i++) {
        if (!own_request(*under_way(&requests[i])))
            continue;
        const int code = finish(&requests[i], status_of(statuses, i));
        set_error(status_of(statuses, i), code);
        if (code != MPI_SUCCESS)
            result = MPI_ERR_IN_STATUS;
    }
    return result;
}

/* As MPI_Test, but one of the library's that is inactive is not `some`, and has not ended. */
static int look_at_one_of_many(MPI_Request *request, int *ended, bool *some, MPI_Status *status)
{
    int which = 0;
    const int code = own_request(*request) ? look_at(request, ended, status)
                                           : below.Testany(1, request, &which, ended, status);
    if (which == MPI_UNDEFINED && *ended)
        *ended = 0;
    else
        *some = true;
    return code;
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
        const int code = look_at_one_of_many(&requests[i], flag, &some, status);
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
    int result;
    if (world.started)
        progress();
    if (all_native(incount, requests))
        return below.Testsome(incount, requests, outcount, indices, statuses);
    result = test_natives(incount, requests, outcount, indices, statuses);
    bool some = *outcount != MPI_UNDEFINED;
    *outcount = some ? *outcount : 0;
    for (int i = 0; i < incount && (result == MPI_SUCCESS || result == MPI_ERR_IN_STATUS); i++) {
        int ended = 0;
        const Request *r = own_request(requests[i]);
        if (!r || is_idle(requests[i]))
            continue;
        some = true;
        if (!r->kind->active && !r->done)
            continue;
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

int call_Request_get_status_all(int count, const MPI_Request requests[], int *flag,
                                MPI_Status *statuses)
{
    int code = MPI_SUCCESS;
    *flag = 1;
    for (int i = 0; i < count && *flag && code == MPI_SUCCESS; i++)
        code = call_Request_get_status(requests[i], flag, status_of(statuses, i));
    return code;
}

/* As MPI_Request_get_status, but one that is inactive is not `some`, and has not ended; of the
 * library's only a library that has MPI_Request_get_status_any tells it. */
static int peek_at_one_of_many(MPI_Request request, int *ended, bool *some, MPI_Status *status)
{
    int which = 0;
    const int code = own_request(request)
                         ? peek(request, ended, status)
                         : below.Request_get_status_any(1, &request, &which, ended, status);
    if (which == MPI_UNDEFINED && *ended)
        *ended = 0;
    else
        *some = true;
    return code;
}

int call_Request_get_status_any(int count, const MPI_Request requests[], int *index, int *flag,
                                MPI_Status *status)
{
    int code = MPI_SUCCESS;
    bool some = false;
    if (world.started)
        progress();
    *flag = 0;
    *index = MPI_UNDEFINED;
    for (int i = 0; i < count && !*flag && code == MPI_SUCCESS; i++) {
        if (is_idle(requests[i]))
            continue;
        code = peek_at_one_of_many(requests[i], flag, &some, status);
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
    if (world.started)
        progress();
    *outcount = 0;
    for (int i = 0; i < incount && code == MPI_SUCCESS; i++) {
        if (is_idle(requests[i]))
            continue;
        code = peek_at_one_of_many(requests[i], &ended, &some, status_of(statuses, *outcount));
        if (code == MPI_SUCCESS && ended)
            indices[(*outcount)++] = i;
    }
    if (!some)
        *outcount = MPI_UNDEFINED;
    return code;
}
