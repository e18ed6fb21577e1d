/* What the program holds of ours that has begun: a message, an operation, or a plan of one. */
#ifndef REQUEST_H
#define REQUEST_H

#include "communicators.h"
#include "outgoing.h"
#include "slots.h"

typedef struct Request Request;

/* What differs between one kind of request and another. */
typedef struct {
    bool has_status; /* of a message */
    bool told;       /* its messages have told the error handler of what went wrong */

    /* Withdraws it, if that goes yet; NULL: never. */
    void (*cancel)(Request *request);

    /* Of one that is started again and again: what it has begun, or MPI_REQUEST_NULL; and frees it.
     * NULL: it has begun itself. */
    MPI_Request *(*active)(Request *request);
    int (*free)(Request *request);
} RequestKind;

struct Request {
    SlotKind slot;
    const RequestKind *kind;
    bool done;
    bool forgotten; /* the program has freed it: it goes when it is done */
    bool cancelled;
    bool passed; /* one of the library's under a handle of ours: nobody else waits for it */
    int code;
    bool told; /* the library has called the handler of its error */
    Joined *joined;
    int source, tag; /* that are asked for; once it is done, the message's */
    uint64_t bytes;  /* of the message; once it is done, that have come */
    uint64_t so_far; /* that have gone out, or have come or are about to */

    void *buffer;
    MPI_Count count;
    MPI_Datatype type;
    bool plain;      /* bytes go to the buffer as they are */
    bool external;   /* they come as external32 */
    bool holds_type; /* which the program may free meanwhile */
    uint64_t room;   /* bytes */
    char *packed;
    MPI_Request native; /* below, once it is the library's */
    Request *next;      /* that waits behind it */

    Outgoing out;
    bool granted;           /* the other process has a place for it */
    uint64_t other_request; /* that process's, once it has */
    Peer *peer;
    void *work; /* of an operation, or of one that is started again and again */
};

/* What has begun and not ended, as far as it needs turns of ours. */
extern long outstanding;

/* NULL: there is no memory. */
Request *new_request(const RequestKind *kind, Joined *joined);
void end_request(Request *request, int code);
void free_request(Request *request);

/* The request if it is one of ours, else NULL. */
static inline Request *own_request(MPI_Request request)
{
    return is_slot(request) ? (Request *)request : NULL;
}

#endif
