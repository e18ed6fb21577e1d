/* What comes from other sites: it goes to the receive that waits for it, or is kept. */
#include "gateway.h"
#include "matching.h"
#include "packing.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void message_is(Request *r, const Header *h)
{
    r->source = h->source;
    r->tag = h->tag;
    r->bytes = h->length;
}

/* Credit for what no longer has to be kept. */
static void give_back(Peer *p, const Header *h)
{
    p->consumed += (int64_t)(h->length + sizeof *h);
    if (p->consumed > CREDIT_BYTES / 4) {
        send_short(p, (Header){.kind = CREDIT, .length = (uint64_t)p->consumed});
        p->consumed = 0;
    }
}

/* Where the data of its message go. */
static void open_place(Peer *p, Request *r)
{
    p->request = r;
    p->unexpected = NULL;
    p->left = r->bytes;
    p->skipped = 0;
    if (r->plain) {
        p->to = r->buffer;
        if (r->bytes > r->room) {
            p->left = r->room;
            p->skipped = r->bytes - r->room;
        }
    } else {
        r->packed = malloc(r->bytes + 1);
        p->to = r->packed;
        if (!r->packed)
            give_up("there is no memory for a message of", p->rank);
    }
}

static void end_receiving(Request *r)
{
    int code = MPI_SUCCESS;
    if (!r->plain) {
        code = unpack(r->packed, r->bytes, r->buffer, r->count, r->type);
        free(r->packed);
        r->packed = NULL;
    }
    if (r->bytes > r->room) {
        code = MPI_ERR_TRUNCATE;
        r->bytes = r->room;
    }
    end_request(r, code);
}

static void grant(Request *r, Peer *p, uint64_t sender)
{
    r->peer = p;
    p->granted++;
    send_short(p, (Header){.kind = GRANTS, .sender = sender, .receiver = number_of_slot(r)});
}

static void keep_message(Peer *p, Context *c)
{
    Unexpected *u = calloc(1, sizeof *u);
    const bool eager = p->header.kind == EAGER;
    if (u && eager)
        u->data = malloc(p->header.length + 1);
    if (!u || (eager && !u->data))
        give_up("there is no memory for a message of", p->rank);
    u->header = p->header;
    u->peer = p;
    if (c->newest)
        c->newest->next = u;
    else
        c->unexpected = u;
    c->newest = u;
    p->request = NULL;
    p->unexpected = u;
    p->to = u->data;
    p->left = eager ? p->header.length : 0;
    p->skipped = 0;
}

static bool begin_receiving(Peer *p)
{
    const Header *h = &p->header;
    Context *c = context_of(h->context);
    if (!c || (h->kind == EAGER && h->length > EAGER_BYTES))
        give_up("a message makes no sense that came from", p->rank);
    Request *r = take_posted(c, h->source, h->tag);
    if (!r) {
        keep_message(p, c);
        return h->kind == EAGER;
    }
    message_is(r, h);
    if (h->kind == ASKS) {
        grant(r, p, h->sender);
        return false;
    }
    give_back(p, h);
    open_place(p, r);
    return true;
}

/* The request that another process means; what is none ends the job. */
static Request *meant(Peer *p, uint64_t number, RequestKind kind)
{
    Request *r = slot_of_number(number, REQUEST_SLOT);
    if (!r || r->kind != kind || r->peer != p || r->done)
        give_up("a message makes no sense that came from", p->rank);
    return r;
}

static void send_data(Peer *p)
{
    Request *r = meant(p, p->header.sender, SENDS);
    r->out.header.kind = DATA;
    r->out.header.receiver = p->header.receiver;
    r->out.data = r->packed ? r->packed : r->buffer;
    r->out.request = r;
    send_out(p, &r->out);
}

bool begin_message(Peer *p)
{
    switch (p->header.kind) {
    case EAGER:
    case ASKS:
        return begin_receiving(p);
    case GRANTS:
        send_data(p);
        return false;
    case DATA: {
        Request *r = meant(p, p->header.receiver, RECEIVES);
        if (r->bytes != p->header.length)
            give_up("a message makes no sense that came from", p->rank);
        p->granted--;
        open_place(p, r);
        return true;
    }
    case CREDIT:
        p->credit += (int64_t)p->header.length;
        return false;
    case ENDS:
        p->ended = true;
        return false;
    case ABORTS:
        usleep(500000); /* who called MPI_Abort is told of first */
        below.Abort(MPI_COMM_WORLD, p->header.tag);
        return false;
    default:
        give_up("a message makes no sense that came from", p->rank);
        return false;
    }
}

static void forget_message(Unexpected *u)
{
    free(u->data);
    free(u);
}

/* An eager message that is all here. */
static void copy_message(Request *r, Unexpected *u)
{
    const uint64_t bytes = u->header.length;
    message_is(r, &u->header);
    give_back(u->peer, &u->header);
    if (r->plain) {
        memcpy(r->buffer, u->data, bytes < r->room ? bytes : r->room);
    } else {
        r->packed = u->data;
        u->data = NULL;
    }
    end_receiving(r);
    forget_message(u);
}

void give_message(Request *r, Unexpected *u)
{
    if (u->header.kind == ASKS) {
        message_is(r, &u->header);
        grant(r, u->peer, u->header.sender);
        forget_message(u);
    } else if (u->complete) {
        copy_message(r, u);
    } else {
        u->wanted = r;
    }
}

void end_message(Peer *p)
{
    if (p->request) {
        end_receiving(p->request);
    } else {
        p->unexpected->complete = true;
        if (p->unexpected->wanted)
            copy_message(p->unexpected->wanted, p->unexpected);
    }
    p->request = NULL;
    p->unexpected = NULL;
}

void end_sending(Request *r, Outgoing *message)
{
    if (message->header.kind == ASKS)
        return; /* the data have still to go */
    free(r->packed);
    r->packed = NULL;
    sends_under_way--;
    end_request(r, MPI_SUCCESS);
}
