/* Point-to-point messages on communicators across sites. */
#ifndef MESSAGES_H
#define MESSAGES_H

#include "request.h"
#include "wire.h"

typedef enum { STANDARD, SYNCHRONOUS, BUFFERED } SendMode;

/* These return error codes, and a handle, which may be the library's; a BUFFERED send has ended as
 * far as the program sees, and has none. */
int begin_send(Joined *joined, const void *buffer, MPI_Count count, MPI_Datatype type, int dest,
               int tag, SendMode mode, MPI_Request *request);
int begin_receive(Joined *joined, void *buffer, MPI_Count count, MPI_Datatype type, int source,
                  int tag, MPI_Request *request);

extern const RequestKind sends;
extern long sends_under_way; /* MPI_Finalize has to wait for them */

/* What of its message a receive of ours needs to know; it is not posted yet. */
int describe_receive(Request *request, void *buffer, MPI_Count count, MPI_Datatype type, int source,
                     int tag);

/* The library receives it, from this rank of the site. An error code. */
int receive_below(Request *request, int local_source, int tag);

/* The other process has a place for what was announced. False: that was not so. */
bool take_grant(Request *request, uint64_t other_request);

/* This message of it has gone out. */
void end_sending(Request *request, Outgoing *message);

/* Whether what goes to this rank of the remote group has to be external32. */
static inline bool goes_external(const Joined *j, int dest)
{
    return dest >= 0 && dest < j->remote_size && peers[j->remote_rank[dest]].external;
}

#endif
