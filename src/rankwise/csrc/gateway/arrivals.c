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

__attribute__((noreturn)) static void nonsense(const Peer *p)
{
    give_up("a message makes no sense that came from", p->rank);
}

static int64_t cost_of(const Header *h)
{
    return (int64_t)(h->length + sizeof *h);
}

/* Credit for what no longer has to be kept. */
static void give_back(Peer *p, const Header *h)
{
    p->consumed += cost_of(h);
    if (p->consumed > CREDIT_BYTES / 4) {
        send_short(p, (Header){.kind = CREDIT, .length = (uint64_t)p->consumed});
        p->used -= p->consumed;
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
    if (r->bytes > r->room) {
        p->left = r->room;
        p->skipped = r->bytes - r->room;
    }
    if (!r->plain) {
        r->packed = malloc(p->left + 1);
        if (!r->packed)
            give_up("there is no memory for a message of", p->rank);
    }
    p->to = r->plain ? r->buffer : r->packed;
}

static void end_receiving(Request *r)
{
    int code = MPI_SUCCESS;
    if (!r->plain) {
        const uint64_t here = r->bytes < r->room ? r->bytes : r->room;
        code = unpack(r->packed, here, r->buffer, r->count, r->type);
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
    if (!c || h->tag < 0 || h->tag > world.tag_bound || h->length > MOST_BYTES ||
        (c->joined && !comes_from(c->joined, h->source, p->rank)))
        nonsense(p);
    if (h->kind == EAGER) {
        p->used += cost_of(h);
        if (h->length > EAGER_BYTES || p->used > CREDIT_BYTES)
            nonsense(p);
    }
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
        nonsense(p);
    return r;
}

static void send_data(Peer *p)
{
    Request *r = meant(p, p->header.sender, SENDS);
    if (r->out.header.kind != ASKS || r->out.sent != sizeof r->out.header)
        nonsense(p); /* it has been sent, or not even announced */
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
            nonsense(p);
        p->granted--;
        open_place(p, r);
        return true;
    }
    case CREDIT:
        if (p->header.length > (uint64_t)(CREDIT_BYTES - p->credit))
            nonsense(p);
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
        nonsense(p);
    }
}

void check_early(const Context *c)
{
    for (const Unexpected *u = c->unexpected; u; u = u->next)
        if (!comes_from(c->joined, u->header.source, u->peer->rank))
            nonsense(u->peer);
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
