/* Requests: generalized ones, several at once where a library looks at one, and MPI_Comm_idup. */
#include <stdlib.h>

#include "backend.h"

#ifdef KNOWS_Grequest_start
typedef struct {
    ABI_Grequest_query_function *query;
    ABI_Grequest_free_function *free;
    ABI_Grequest_cancel_function *cancel;
    void *extra;
} Generalized;

static int query(void *extra, MPI_Status *native)
{
    const Generalized *const user = extra;
    ABI_Status status = {.MPI_ERROR = ABI_SUCCESS};
    status_out(native, &status);
    const int code = user->query(user->extra, &status);
    status_in(&status, native);
    return to_error(code);
}

static int end(void *extra)
{
    Generalized *const user = extra;
    const int code = user->free(user->extra);
    free(user);
    return to_error(code);
}

static int cancel(void *extra, int complete)
{
    const Generalized *const user = extra;
    return to_error(user->cancel(user->extra, complete));
}
#endif

#if defined(KNOWS_Grequest_start) || !defined(MIRROR)
int call_Grequest_start(ABI_Grequest_query_function *query_fn, ABI_Grequest_free_function *free_fn,
                        ABI_Grequest_cancel_function *cancel_fn, void *extra, ABI_Request *request)
{
#ifdef KNOWS_Grequest_start
    Generalized *const user = malloc(sizeof *user);
    MPI_Request made = MPI_REQUEST_NULL;
    if (!user)
        return refuse_Comm(ABI_ERR_NO_MEM, MPI_COMM_SELF);
    *user = (Generalized){query_fn, free_fn, cancel_fn, extra};
    const int code = PMPI_Grequest_start(query, end, cancel, user, request ? &made : NULL);
    if (!code && request)
        *request = from_Request(made);
    return from_code(code);
#else
    (void)query_fn, (void)free_fn, (void)cancel_fn, (void)extra, (void)request;
    return refuse_Comm(MISSING_Grequest_start, MPI_COMM_SELF);
#endif
}
#endif

#if defined(KNOWS_Comm_idup) || !defined(MIRROR)
/* Open MPI writes the communicator when the request ends: it writes into the program's variable,
   since its handles are as wide as the standard's. Where they are not (a program of MPICH over Open
   MPI), and the communicator is not known at once, this waits for it. */
static int idup(ABI_Comm comm, ABI_Info *info, ABI_Comm *newcomm, ABI_Request *request)
{
#ifdef KNOWS_Comm_idup
    MPI_Request made = MPI_REQUEST_NULL;
    MPI_Comm here = MPI_COMM_NULL;
    MPI_Comm *const place =
        sizeof here == sizeof *newcomm || !newcomm ? (MPI_Comm *)newcomm : &here;
    MPI_Request *const begun = request ? &made : NULL;
    int code;
#ifdef KNOWS_Comm_idup_with_info
    if (info)
        code = PMPI_Comm_idup_with_info(to_Comm(comm), to_Info(*info), place, begun);
    else
#endif
        code = PMPI_Comm_idup(to_Comm(comm), place, begun);
    (void)info;
    if (!code && place == &here && here == MPI_COMM_NULL)
        code = PMPI_Wait(&made, MPI_STATUS_IGNORE);
    if (!code && place == &here)
        *newcomm = from_Comm(here);
    if (!code && request)
        *request = from_Request(made);
    return from_code(code);
#else
    (void)info, (void)newcomm, (void)request;
    return refuse_Comm(MISSING_Comm_idup, to_Comm(comm));
#endif
}

int call_Comm_idup(ABI_Comm comm, ABI_Comm *newcomm, ABI_Request *request)
{
    return idup(comm, NULL, newcomm, request);
}

int call_Comm_idup_with_info(ABI_Comm comm, ABI_Info info, ABI_Comm *newcomm, ABI_Request *request)
{
    return idup(comm, &info, newcomm, request);
}
#endif

#if defined(KNOWS_Request_get_status_any) || !defined(MIRROR)
static ABI_Status *status_at(ABI_Status *statuses, int index)
{
    return statuses == ABI_STATUSES_IGNORE ? ABI_STATUS_IGNORE : &statuses[index];
}

/* Whether one request has ended, without ending it, and whether there is any: null and inactive
   ones have ended too. A library without MPI_Request_get_status_any does not tell the inactive. */
static int look(ABI_Request request, int *flag, bool *some, ABI_Status *status)
{
#ifdef KNOWS_Request_get_status
    MPI_Status native;
    MPI_Request here = to_Request(request);
#ifdef KNOWS_Request_get_status_any
    int index = 0;
    const int code = PMPI_Request_get_status_any(1, &here, &index, flag, &native);
    *some = index != MPI_UNDEFINED || !*flag;
#else
    const int code = PMPI_Request_get_status(here, flag, &native);
    *some = request != ABI_REQUEST_NULL;
#endif
    if (!code && *flag && status != ABI_STATUS_IGNORE)
        status_out(&native, status);
    return from_code(code);
#else
    (void)request, (void)flag, (void)some, (void)status;
    return refuse_Comm(MISSING_Request_get_status, MPI_COMM_SELF);
#endif
}

int call_Request_get_status_any(int count, const ABI_Request requests[], int *index, int *flag,
                                ABI_Status *status)
{
    int code = ABI_SUCCESS;
    bool some = false;
    *flag = 0;
    *index = ABI_UNDEFINED;
    for (int i = 0; i < count && !code && *index == ABI_UNDEFINED; i++) {
        bool is_one = false;
        code = look(requests[i], flag, &is_one, status);
        some |= is_one;
        if (!code && *flag && is_one)
            *index = i;
    }
    *flag = *index != ABI_UNDEFINED || !some;
    if (!code && !some) /* then the status is the empty one */
        code = look(ABI_REQUEST_NULL, flag, &some, status);
    return code;
}

int call_Request_get_status_all(int count, const ABI_Request requests[], int *flag,
                                ABI_Status *statuses)
{
    int code = ABI_SUCCESS;
    bool some;
    *flag = 1;
    for (int i = 0; i < count && !code && *flag; i++)
        code = look(requests[i], flag, &some, status_at(statuses, i));
    return code;
}

int call_Request_get_status_some(int count, const ABI_Request requests[], int *ended, int indices[],
                                 ABI_Status *statuses)
{
    int code = ABI_SUCCESS, flag;
    bool some = false;
    *ended = 0;
    for (int i = 0; i < count && !code; i++) {
        bool is_one = false;
        code = look(requests[i], &flag, &is_one, status_at(statuses, *ended));
        some |= is_one;
        if (!code && flag && is_one)
            indices[(*ended)++] = i;
    }
    if (!code && !some)
        *ended = ABI_UNDEFINED;
    return code;
}
#endif
