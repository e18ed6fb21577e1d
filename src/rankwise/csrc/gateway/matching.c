#include "matching.h"
#include "gateway.h"
#include "messages.h"
#include "packing.h"
#include "statuses.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

_Static_assert(sizeof(Request) <= SLOT_BYTES, "a request fits its slot");

long outstanding, sends_under_way;
static int local_waits; /* receives that wait here and that a rank of this site could serve */

Request *new_request(RequestKind kind, Joined *joined)
{
    Request *r = take_slot(REQUEST_SLOT);
    if (!r)
        return NULL;
    r->kind = kind;
    r->joined = joined;
    r->native = MPI_REQUEST_NULL;
    joined->uses++;
    outstanding++;
    return r;
}

void free_request(Request *r)
{
    if (r->own_type)
        below.Type_free(&r->type);
    release_joined(r->joined);
    give_slot(r);
}

void end_request(Request *r, int code)
{
    r->code = code;
    r->done = true;
    if (!r->passed)
        outstanding--;
    if (r->forgotten)
        free_request(r);
}

/* Receives: what fits what */

static bool fits(int source, int tag, int from, int with)
{
    return (source == MPI_ANY_SOURCE || source == from) && (tag == MPI_ANY_TAG || tag == with);
}

/* Another rank of this site could serve it. */
static bool may_be_local(const Joined *j, int source)
{
    return source == MPI_ANY_SOURCE ? j->local_size > 0 : j->to_local[source] >= 0;
}

bool must_wait(const Joined *j, int source)
{
    (void)source; /* even another one's: its message may be behind what the first would take */
    return j->context->local_waits > 0;
}

static void append(Context *c, Request *r)
{
    r->next = NULL;
    if (c->last)
        c->last->next = r;
    else
        c->posted = r;
    c->last = r;
    if (may_be_local(r->joined, r->source)) {
        c->local_waits++;
        local_waits++;
    }
}

static void unlink_receive(Context *c, Request *r)
{
    Request *before = NULL;
    for (Request *one = c->posted; one != r; one = one->next)
        before = one;
    if (before)
        before->next = r->next;
    else
        c->posted = r->next;
    if (c->last == r)
        c->last = before;
    if (may_be_local(r->joined, r->source)) {
        c->local_waits--;
        local_waits--;
    }
}

/* The receive that has waited longest for such a message, which is no longer posted then. */
static Request *take_posted(Context *c, int source, int tag)
{
    for (Request *r = c->posted; r; r = r->next)
        if (fits(r->source, r->tag, source, tag)) {
            unlink_receive(c, r);
            return r;
        }
    return NULL;
}

/* Receives: what comes from other sites */

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

Unexpected *find_unexpected(const Joined *j, int source, int tag, bool take)
{
    Context *c = j->context;
    Unexpected *before = NULL;
    for (Unexpected *u = c->unexpected; u; before = u, u = u->next) {
        if (!fits(source, tag, u->header.source, u->header.tag))
            continue;
        if (take) {
            if (before)
                before->next = u->next;
            else
                c->unexpected = u->next;
            if (c->newest == u)
                c->newest = before;
            u->next = NULL;
        }
        return u;
    }
    return NULL;
}

void post_receive(Request *r)
{
    Unexpected *u = find_unexpected(r->joined, r->source, r->tag, true);
    if (u)
        give_message(r, u);
    else
        append(r->joined->context, r);
}

bool cancel_receive(Request *r)
{
    for (Request *one = r->joined->context->posted; one; one = one->next)
        if (one == r) {
            unlink_receive(r->joined->context, r);
            r->cancelled = true;
            r->bytes = 0;
            end_request(r, MPI_SUCCESS);
            return true;
        }
    return false;
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

/* Receives: what comes from this site */

/* The library has a message for one of them: the first that it fits gets it. */
static bool receive_locally(Context *c, const Request *asks)
{
    Joined *j = c->joined;
    const int source = asks->source == MPI_ANY_SOURCE ? MPI_ANY_SOURCE : j->to_local[asks->source];
    int there = 0;
    MPI_Status status;
    if (below.Iprobe(source, asks->tag, j->local, &there, &status) != MPI_SUCCESS || !there)
        return false;
    Request *r = take_posted(c, j->from_local[status.MPI_SOURCE], status.MPI_TAG);
    const int code = receive_below(r, status.MPI_SOURCE, status.MPI_TAG);
    if (code != MPI_SUCCESS)
        end_request(r, code);
    return true;
}

bool progress_local(void)
{
    bool moved = false;
    if (!local_waits)
        return false;
    for (int i = 0; i < context_count; i++) {
        Context *c = contexts[i];
        if (!c || !c->local_waits)
            continue;
        Request *r = c->posted;
        while (r) {
            if (may_be_local(c->joined, r->source) && receive_locally(c, r)) {
                moved = true;
                r = c->posted; /* the list is another one now */
            } else {
                r = r->next;
            }
        }
    }
    return moved;
}

static void end_below(Request *r, int code, const MPI_Status *status)
{
    r->native = MPI_REQUEST_NULL;
    if (code == MPI_SUCCESS) {
        r->source = status->MPI_SOURCE >= 0 ? r->joined->from_local[status->MPI_SOURCE]
                                            : status->MPI_SOURCE;
        r->tag = status->MPI_TAG;
        r->bytes = bytes_that_came(status);
        r->cancelled = was_cancelled(status);
    }
    end_request(r, code);
}

void look_below(Request *r)
{
    int ended = 0;
    MPI_Status status = {0};
    const int code = below.Test(&r->native, &ended, &status);
    if (code != MPI_SUCCESS || ended)
        end_below(r, code, &status);
}

void wait_below(Request *r)
{
    MPI_Status status = {0};
    const int code = below.Wait(&r->native, &status);
    end_below(r, code, &status);
}
