/* Messages between sites: one TCP connection for each pair of processes, little to say and all of
 * it in order.
 *
 * A message comes at once (EAGER) while the sender has credit: bytes that the receiver may have to
 * keep. Of any other one as much comes with its announcement (ASKS) as there is credit for, and the
 * rest (DATA) when the receiver has a place for it (GRANTS). So no process ever has to keep more
 * than the credit of each of its peers, and the announcements; and no link is idle for the time of
 * an answer unless it takes less time for the credit. */
#ifndef WIRE_H
#define WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CREDIT_BYTES = 4 << 20 };
#define MOST_BYTES (UINT64_C(1) << 60) /* of any message */

typedef enum { EAGER = 1, ASKS, GRANTS, DATA, CREDIT, ENDS, ABORTS, KINDS } MessageKind;

typedef struct {
    int32_t kind, context, source, tag; /* ABORTS: the tag is the exit code */
    uint64_t length;                    /* of the message; CREDIT: what is given back */
    uint64_t follows;                   /* bytes of the message, behind this header */
    uint64_t sender, receiver;          /* requests, by numbers of their own process */
} Header;

/* A message on its way out. `sent` counts the header too. */
typedef struct Outgoing Outgoing;
struct Outgoing {
    Header header;
    const char *data;
    size_t sent;
    struct Request *request; /* whose it is, or NULL: then it is freed */
    Outgoing *next;
};

typedef struct Peer Peer;
struct Peer {
    int socket, rank; /* of the world */
    Outgoing *first, *last;
    int granted;              /* messages whose rest it may send now */
    int64_t credit, consumed; /* what we may send; what we have not given back yet */
    int64_t used;             /* of what it may send */
    bool ended, dismissed;    /* it has said that it ends; we have */
    int uses, tag_bound;      /* of another job's process: communicators that it is in */

    struct Session *session; /* TLS, or NULL: the connection is in the clear */
    bool unflushed, unread;  /* TLS has what is to go out; what the socket does not tell of */

    char *stage; /* what was read and not looked at */
    size_t stage_from, stage_to;
    Header header;
    size_t header_bytes;
    bool in_data, long_ones; /* among data; whether the last were many */
    char *to;
    size_t left, skipped; /* of the message's data: to `to`, and then to nowhere */
    struct Request *request;
    struct Unexpected *unexpected;
};

enum { MOST_OTHERS = 4096 }; /* processes of other jobs, in all */
extern Peer
    *peers; /* shape (world.ranks + MOST_OTHERS); those of our own site have no socket (-1) */

/* Hands over a connection that is there. */
void open_peer(int rank, int socket);

void send_out(Peer *peer, Outgoing *message);
void send_short(Peer *peer, Header header);

/* Messages, and connections whose TLS has some, that are to go out. */
extern long to_send;

/* What the socket takes now goes out: whether anything did. */
bool flush(Peer *peer);

/* Whether anything came or went. */
bool progress_wire(void);

/* This peer is no longer needed; the connection is closed when it has said so too. */
void take_leave(int rank);

/* Takes leave of all peers, and waits until they have done so too; then closes. */
void close_wire(void);

#endif
