/* Point-to-point messages on communicators across sites, and the turns that they need. */
#ifndef MESSAGES_H
#define MESSAGES_H

#include "matching.h"

typedef enum { STANDARD, SYNCHRONOUS, BUFFERED } SendMode;

/* These return error codes, and a handle, which may be the library's. */
int begin_send(Joined *joined, const void *buffer, MPI_Count count, MPI_Datatype type, int dest,
               int tag, SendMode mode, MPI_Request *request);
int begin_receive(Joined *joined, void *buffer, MPI_Count count, MPI_Datatype type, int source,
                  int tag, MPI_Request *request);

/* What of its message a receive of ours needs to know; it is not posted yet. */
int describe_receive(Request *request, void *buffer, MPI_Count count, MPI_Datatype type, int source,
                     int tag);

/* The library receives it, from this rank of the site. An error code. */
int receive_below(Request *request, int local_source, int tag);

/* All that can go on does. */
void progress(void);

/* Looks at a request of any kind, or MPI_REQUEST_NULL: as MPI_Test, without a turn. */
int look_at(MPI_Request *request, int *ended, MPI_Status *status);

/* Whether it has ended, without ending it: as MPI_Request_get_status, without a turn. */
int peek(MPI_Request request, int *ended, MPI_Status *status);

/* As MPI_Wait. */
int finish(MPI_Request *request, MPI_Status *status);

/* The request if it is one of ours, else NULL. */
static inline Request *own_request(MPI_Request request)
{
    return is_slot(request) ? (Request *)request : NULL;
}

#endif
