#include "arrivals.h"
#include "external32.h"
#include "gateway.h"
#include "messages.h"
#include "packing.h"
#include <stdlib.h>
#include <string.h>

__attribute__((noreturn)) static void nonsense(const Peer *p)
{
    give_up("a message that makes no sense came from", p->rank);
}

/* A mere announcement costs nothing. */
static int64_t cost_of(const Header *h)
{
    return h->kind == EAGER || h->follows ? (int64_t)(h->follows + sizeof *h) : 0;
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

/* How many of the message's first bytes the receive has room for. */
static uint64_t kept_of(const Request *r, uint64_t bytes)
{
    return bytes < r->room ? bytes : r->room;
}

/* Where the message begins. */
static char *place_of(Request *r, const Peer *p)
{
    if (r->plain)
        return r->buffer;
    if (!r->packed)
        r->packed = malloc(kept_of(r, r->bytes) + 1);
    if (!r->packed)
        give_up("out of memory for a message of", p->rank);
    return r->packed;
}

/* Where the next bytes of its message go. */
static void open_place(Peer *p, Request *r, uint64_t bytes)
{
    const uint64_t before = kept_of(r, r->so_far);
    p->request = r;
    p->unexpected = NULL;
    p->to = place_of(r, p) + before;
    r->so_far += bytes;
    p->left = kept_of(r, r->so_far) - before;
    p->skipped = bytes - p->left;
}

static void end_receiving(Request *r)
{
    const uint64_t kept = kept_of(r, r->bytes);
    int code = MPI_SUCCESS;
    if (r->external)
        code = from_external(r->plain ? r->buffer : r->packed, kept, r->type);
    if (!r->plain) {
        if (code == MPI_SUCCESS)
            code = unpack(r->packed, kept, r->buffer, r->count, r->type);
        free(r->packed);
        r->packed = NULL;
    }
    if (r->bytes > r->room) {
        code = MPI_ERR_TRUNCATE;
        r->bytes = r->room;
    }
    end_request(r, code);
}

/* The receive that the message goes to is known. */
static void begin_with(Request *r, Peer *p, const Header *h)
{
    r->source = h->source;
    r->tag = h->tag;
    r->bytes = h->length;
    r->external = p->external;
    if (h->kind != ASKS)
        return;
    r->peer = p;
    p->granted += h->length > h->follows;
    send_short(p, (Header){.kind = GRANTS, .sender = h->sender, .receiver = number_of_slot(r)});
}

static void keep_message(Peer *p, Context *c)
{
    Unexpected *u = calloc(1, sizeof *u);
    if (u)
        u->data = malloc(p->header.follows + 1);
    if (!u || !u->data)
        give_up("out of memory for a message of", p->rank);
    u->header = p->header;
    u->peer = p;
    add_unexpected(c, u);
    p->request = NULL;
    p->unexpected = u;
    p->to = u->data;
    p->left = p->header.follows;
    p->skipped = 0;
}

static void begin_receiving(Peer *p)
{
    const Header *h = &p->header;
    Context *c = context_of(h->context);
    if (!c || h->tag < 0 || (p->rank < world.ranks && h->tag > world.tag_bound) ||
        h->length > MOST_BYTES || h->follows > h->length ||
        (h->kind == EAGER && h->follows < h->length) || h->follows > CREDIT_BYTES ||
        (c->joined && !comes_from(c->joined, h->source, p->rank)))
        nonsense(p);
    p->used += cost_of(h);
    if (p->used > CREDIT_BYTES)
        nonsense(p);
    Request *r = take_posted(c, h->source, h->tag);
    if (r) {
        give_back(p, h);
        begin_with(r, p, h);
        open_place(p, r, h->follows);
    } else {
        keep_message(p, c);
    }
}

/* The request that another process means; what is none ends the job. */
static Request *meant(Peer *p, uint64_t number, const RequestKind *kind)
{
    Request *r = slot_of_number(number, REQUEST_SLOT);
    if (!r || r->kind != kind || r->peer != p || r->done)
        nonsense(p);
    return r;
}

static void receive_rest(Peer *p)
{
    Request *r = meant(p, p->header.receiver, &receives);
    if (r->bytes - r->so_far != p->header.follows)
        nonsense(p);
    p->granted--;
    open_place(p, r, p->header.follows);
}

/* Of a machine of the other order of bytes. */
static void turn_header(Header *h)
{
    int32_t *const words[] = {&h->kind, &h->context, &h->source, &h->tag};
    uint64_t *const longs[] = {&h->length, &h->follows, &h->sender, &h->receiver};
    for (int i = 0; i < 4; i++) {
        *words[i] = (int32_t)__builtin_bswap32((uint32_t)*words[i]);
        *longs[i] = __builtin_bswap64(*longs[i]);
    }
}

static bool begin_message(Peer *p)
{
    if (p->other_order)
        turn_header(&p->header);
    switch (p->header.kind) {
    case EAGER:
    case ASKS:
        begin_receiving(p);
        return true;
    case GRANTS:
        if (!take_grant(meant(p, p->header.sender, &sends), p->header.receiver))
            nonsense(p);
        return false;
    case DATA:
        receive_rest(p);
        return true;
    case CREDIT:
        if (p->header.length > (uint64_t)(CREDIT_BYTES - p->credit))
            nonsense(p);
        p->credit += (int64_t)p->header.length;
        return false;
    case ENDS:
        p->ended = true;
        return false;
    case ABORTS:
        rest(0.5); /* who called MPI_Abort is told of first */
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

/* What came at once of a message is all here. */
static void copy_message(Request *r, Unexpected *u)
{
    r->so_far = u->header.follows;
    give_back(u->peer, &u->header);
    if (!r->plain && r->so_far == r->bytes) {
        r->packed = u->data;
        u->data = NULL;
    } else if (r->so_far) {
        memcpy(place_of(r, u->peer), u->data, kept_of(r, r->so_far));
    }
    forget_message(u);
    if (r->so_far == r->bytes)
        end_receiving(r);
}

void give_message(Request *r, Unexpected *u)
{
    begin_with(r, u->peer, &u->header);
    if (u->complete)
        copy_message(r, u);
    else
        u->wanted = r;
}

static void end_message(Peer *p)
{
    if (p->request) {
        if (p->request->so_far == p->request->bytes)
            end_receiving(p->request);
    } else {
        p->unexpected->complete = true;
        if (p->unexpected->wanted)
            copy_message(p->unexpected->wanted, p->unexpected);
    }
    p->request = NULL;
    p->unexpected = NULL;
}

void post_receive(Request *r)
{
    Unexpected *u = find_unexpected(r->joined, r->source, r->tag, true);
    if (u)
        give_message(r, u);
    else
        add_posted(r);
}

static void cancel_receive(Request *r)
{
    if (!remove_posted(r))
        return; /* it is too late */
    r->cancelled = true;
    r->bytes = 0;
    end_request(r, MPI_SUCCESS);
}

const MessageHandlers of_messages = {begin_message, end_message, end_sending};
const RequestKind receives = {.has_status = true, .cancel = cancel_receive};
