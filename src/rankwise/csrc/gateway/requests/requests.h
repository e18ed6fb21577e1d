/* Requests one by one, of ours and the library's alike. */
#ifndef REQUESTS_H
#define REQUESTS_H

#include "request.h"

/* Looks at a request of any kind, or MPI_REQUEST_NULL: as MPI_Test, without a turn. */
int look_at(MPI_Request *request, int *ended, MPI_Status *status);

/* Whether it has ended, without ending it: as MPI_Request_get_status, without a turn. */
int peek(MPI_Request request, int *ended, MPI_Status *status);

/* As MPI_Wait, MPI_Cancel, MPI_Request_free. */
int finish(MPI_Request *request, MPI_Status *status);
int cancel(MPI_Request *request);
int let_go(MPI_Request *request);

/* What is to end where this one is waited for: of one that is started again and again, what it has
 * begun. */
static inline MPI_Request *under_way(MPI_Request *request)
{
    Request *r = own_request(*request);
    return r && r->kind->active ? r->kind->active(r) : request;
}

#endif
