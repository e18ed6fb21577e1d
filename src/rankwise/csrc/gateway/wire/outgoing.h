/* One process of another site, and messages on their way to it. */
#ifndef OUTGOING_H
#define OUTGOING_H

#include "representation.h"
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
    Representation representation;
    bool external;    /* data between us are external32 */
    bool other_order; /* its headers have another order of bytes */

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

/* Who deals with the messages. begin: a header has come; whether data follow, maybe none, for which
 * the peer knows the place. end: they are all here. sent: a message with a request has gone out. */
typedef struct {
    bool (*begin)(Peer *peer);
    void (*end)(Peer *peer);
    void (*sent)(struct Request *request, Outgoing *message);
} MessageHandlers;
extern const MessageHandlers *message_handlers;

void send_out(Peer *peer, Outgoing *message);
void send_short(Peer *peer, Header header);

/* Messages, and connections whose TLS has some, that are to go out. */
extern long to_send;

/* What the socket takes now goes out: whether anything did. */
bool flush(Peer *peer);

#endif
