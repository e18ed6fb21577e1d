/* The messages of an execution that are under way: one wait for all of them. */
#include "requests.h"
#include <stdlib.h>

static bool enlarge(void **memory, int room, size_t bytes)
{
    void *larger = realloc(*memory, (size_t)room * bytes);
    if (larger)
        *memory = larger;
    return larger != NULL;
}

bool room_for_request(Requests *r)
{
    if (r->count < r->room)
        return true;
    const int more = r->room ? 2 * r->room : 16;
    if (!enlarge((void **)&r->requests, more, sizeof *r->requests) ||
        !enlarge((void **)&r->owners, more, sizeof *r->owners) ||
        !enlarge((void **)&r->statuses, more, sizeof *r->statuses) ||
        !enlarge((void **)&r->indices, more, sizeof *r->indices))
        return false;
    r->room = more;
    return true;
}

int end_some(Requests *r, bool waits, int *ended)
{
    int error;
    *ended = 1;
    if (waits && r->count == 1)
        return PMPI_Wait(r->requests, r->statuses);
    if (waits)
        error = PMPI_Waitsome(r->count, r->requests, ended, r->indices, r->statuses);
    else
        error = PMPI_Testsome(r->count, r->requests, ended, r->indices, r->statuses);
    for (int i = 0; error == MPI_ERR_IN_STATUS && i < *ended; i++)
        if (r->statuses[i].MPI_ERROR != MPI_SUCCESS)
            error = r->statuses[i].MPI_ERROR;
    return error;
}

void free_requests(Requests *r)
{
    free(r->requests);
    free(r->owners);
    free(r->statuses);
    free(r->indices);
}
