#include "natives.h"
#include "gateway.h"
#include "nearby.h"
#include "requests.h"
#include <stdlib.h>

/* What it has of them, in memory that is kept from call to call. */
typedef struct {
    int count, room;
    MPI_Request *handles; /* shape (room), as all of these */
    int *places, *ended;  /* where each stands among the requests; which have ended */
    MPI_Status *statuses; /* of those that have ended */
} Natives;

static void free_room(Natives *n)
{
    free(n->handles);
    free(n->places);
    free(n->ended);
    free(n->statuses);
    *n = (Natives){0};
}

static bool make_room(Natives *n, int count)
{
    if (count <= n->room)
        return true;
    free_room(n);
    n->handles = malloc((size_t)count * sizeof *n->handles);
    n->places = malloc((size_t)count * sizeof *n->places);
    n->ended = malloc((size_t)count * sizeof *n->ended);
    n->statuses = malloc((size_t)count * sizeof *n->statuses);
    if (n->handles && n->places && n->ended && n->statuses)
        n->room = count;
    else
        free_room(n);
    return n->room > 0;
}

/* MPI_REQUEST_NULL: there is nothing of it that the library could end. */
static MPI_Request native_of(MPI_Request request)
{
    const Request *r = own_request(request);
    if (!r)
        return request;
    return r->kind->active || r->done ? MPI_REQUEST_NULL : r->native;
}

static bool gather(Natives *n, int count, const MPI_Request requests[])
{
    n->count = 0;
    if (!make_room(n, count))
        return false;
    for (int i = 0; i < count; i++) {
        const MPI_Request native = native_of(requests[i]);
        if (native == MPI_REQUEST_NULL)
            continue;
        n->handles[n->count] = native;
        n->places[n->count++] = i;
    }
    return true;
}

/* Whoever has taken it has it alone: a generalized request's functions may come here as well. */
static Natives kept;

static Natives take_kept(void)
{
    const Natives mine = kept;
    kept = (Natives){0};
    return mine;
}

static void give_kept(Natives mine)
{
    free_room(&kept);
    kept = mine;
}

/* As test_natives, in this memory. */
static int test_in(Natives *n, int count, MPI_Request requests[], int *outcount, int indices[],
                   MPI_Status *statuses)
{
    int ended, result = MPI_SUCCESS;
    *outcount = MPI_UNDEFINED;
    if (!gather(n, count, requests))
        return MPI_ERR_NO_MEM;
    if (!n->count)
        return MPI_SUCCESS;
    const int code = below.Testsome(n->count, n->handles, &ended, n->ended, n->statuses);
    if ((code != MPI_SUCCESS && code != MPI_ERR_IN_STATUS) || ended == MPI_UNDEFINED)
        return code;
    *outcount = 0;
    for (int k = 0; k < ended; k++) {
        const int place = n->places[n->ended[k]];
        MPI_Status *const status = &n->statuses[k];
        if (code == MPI_SUCCESS)
            status->MPI_ERROR = MPI_SUCCESS;
        Request *const r = own_request(requests[place]);
        if (r) {
            end_below(r, status->MPI_ERROR, status);
            continue;
        }
        requests[place] = n->handles[n->ended[k]];
        if (statuses != MPI_STATUSES_IGNORE)
            statuses[*outcount] = *status;
        indices[(*outcount)++] = place;
        if (status->MPI_ERROR != MPI_SUCCESS)
            result = MPI_ERR_IN_STATUS;
    }
    return result;
}

int test_natives(int count, MPI_Request requests[], int *outcount, int indices[],
                 MPI_Status *statuses)
{
    Natives mine = take_kept();
    const int code = test_in(&mine, count, requests, outcount, indices, statuses);
    give_kept(mine);
    return code;
}

int test_all_natives(int count, MPI_Request requests[], int *flag, MPI_Status *statuses)
{
    Natives mine = take_kept();
    int code = MPI_ERR_NO_MEM;
    *flag = 0;
    mine.count = 0;
    if (make_room(&mine, count)) {
        for (int i = 0; i < count; i++) {
            const MPI_Request native = *under_way(&requests[i]);
            if (own_request(native))
                continue;
            mine.handles[mine.count] = native;
            mine.places[mine.count++] = i;
        }
        code = below.Testall(mine.count, mine.handles, flag, mine.statuses);
    }
    for (int k = 0; k < mine.count && (*flag || code == MPI_ERR_IN_STATUS); k++) {
        const int place = mine.places[k];
        *under_way(&requests[place]) = mine.handles[k];
        if (code == MPI_SUCCESS)
            mine.statuses[k].MPI_ERROR = MPI_SUCCESS;
        if (statuses != MPI_STATUSES_IGNORE)
            statuses[place] = mine.statuses[k];
    }
    give_kept(mine);
    return code;
}
