/* Which message belongs to which receive, of all communicators that reach over several sites.
 *
 * Receives that only another rank of this site can serve are the library's own. All others wait
 * here in the order in which they were posted: for a message from another site, or, where one from
 * this site would do as well, until the library has such a message (MPI_Iprobe), which is then
 * received from its sender. While such a receive waits, later ones on that communicator that could
 * take a message away from it wait behind it. */
#ifndef MATCHING_H
#define MATCHING_H

#include "communicators.h"
#include "slots.h"
#include "wire.h"

typedef enum { SENDS = 1, RECEIVES, EXCHANGE, COLLECTIVE, PERSISTENT } RequestKind;

typedef struct Request Request;
struct Request {
    SlotKind slot;
    RequestKind kind;
    bool done;
    bool forgotten; /* the program has freed it: it goes when it is done */
    bool cancelled;
    bool passed; /* one of the library's under a handle of ours: nobody else waits for it */
    int code;
    Joined *joined;
    int source, tag; /* that are asked for; once it is done, the message's */
    uint64_t bytes;  /* of the message; once it is done, that have come */
    uint64_t so_far; /* that have gone out, or have come or are about to */

    void *buffer;
    MPI_Count count;
    MPI_Datatype type;
    bool plain;    /* bytes go to the buffer as they are */
    bool external; /* they come as external32 */
    bool own_type; /* a copy, which the program cannot free */
    uint64_t room; /* bytes */
    char *packed;
    MPI_Request native; /* below, once it is the library's */
    Request *next;      /* that waits behind it */

    Outgoing out;
    bool granted;           /* the other process has a place for it */
    uint64_t other_request; /* that process's, once it has */
    Peer *peer;
    void *work; /* of a COLLECTIVE or PERSISTENT one (collectives.c, persistent.c) */
};

/* A message from another site that nobody waits for yet. */
typedef struct Unexpected Unexpected;
struct Unexpected {
    Header header;
    Peer *peer;
    char *data;      /* what has come at once */
    bool complete;   /* that is all here */
    Request *wanted; /* by which it has been taken while it was coming */
    Unexpected *next;
};

/* What has begun and not ended, as far as it needs turns of ours. */
extern long outstanding;
extern long sends_under_way; /* those among them that MPI_Finalize has to wait for */

/* Whether what goes to this rank of the remote group has to be external32. */
static inline bool goes_external(const Joined *j, int dest)
{
    return dest >= 0 && dest < j->remote_size && peers[j->remote_rank[dest]].external;
}

/* NULL: there is no memory. */
Request *new_request(RequestKind kind, Joined *joined);
void end_request(Request *request, int code);
void free_request(Request *request);

/* A receive of ours: posted, or done at once. */
void post_receive(Request *request);

/* Whether a message for this source and tag would have to wait behind a receive that is posted. */
bool must_wait(const Joined *joined, int source);

/* The first message from another site that fits; `take`: nobody else gets it. */
Unexpected *find_unexpected(const Joined *joined, int source, int tag, bool take);

/* The receive that has waited longest for such a message, which is no longer posted then, or
 * NULL. */
Request *take_posted(Context *context, int source, int tag);

/* Whether another rank of this site could serve a receive from this source. */
bool may_be_local(const Joined *joined, int source);
extern int local_waits; /* receives that wait here and that one could serve */

/* Gives the receive such a message that was taken. */
void give_message(Request *request, Unexpected *message);

bool cancel_receive(Request *request); /* false: it is too late */

/* Goes on with what the library has for receives that wait here. */
bool progress_local(void);

/* Messages that came before their communicator was there make sense on it: else the job ends. */
void check_early(const Context *context);

/* Called by the wire. begin_message: whether data follow, maybe none, for which the peer knows the
 * place. */
bool begin_message(Peer *peer);
void end_message(Peer *peer);
void end_sending(Request *request, Outgoing *message);

/* The other process has a place for what was announced. False: that was not so. */
bool take_grant(Request *request, uint64_t other_request);

/* Looks whether what has become the library's has ended, or waits for it without any turn of ours;
 * end_below: it has, as the library said. */
void look_below(Request *request);
void wait_below(Request *request);
void end_below(Request *request, int code, const MPI_Status *status);

#endif
