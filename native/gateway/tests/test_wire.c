/* What is sent to a process arrives there whole and in order, and what it sends is handed over
 * message by message, however the socket cuts it: over real sockets, by random messages. */
#include "check.h"
#include "encrypted.h"
#include "gateway.h"
#include "wire.h"
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { MOST_PEERS = 7, MESSAGES = 300, MOST_LENGTH = 200000, PIECE = 50000 };

/* Below the wire: connections in the clear, and a job that ends where it would give up. */
World world;
const Encryption *encryption;

Session *session_of(int socket)
{
    (void)socket;
    return NULL;
}

ssize_t send_parts(Session *session, const struct iovec parts[2])
{
    (void)session, (void)parts;
    abort();
}

void close_connection(int socket)
{
    close(socket);
}

void stop(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    exit(2);
}

void give_up(const char *what, int world_rank)
{
    stop("%s rank %d\n", what, world_rank);
}

/* What the other process has sent, or is to get, one message after another. */
typedef struct {
    char *bytes;
    size_t length, room;
} Stream;

static void append(Stream *s, const void *from, size_t bytes)
{
    if (s->length + bytes > s->room) {
        s->room = 2 * (s->length + bytes);
        s->bytes = realloc(s->bytes, s->room);
    }
    memcpy(s->bytes + s->length, from, bytes);
    s->length += bytes;
}

typedef struct {
    int other;                 /* its end of the connection */
    Stream comes, handed_over; /* headers and data, as they are sent; as they came */
    Stream goes, went;         /* the same, of what we send */
    size_t sent;               /* of `comes` */
    char place[MOST_LENGTH];   /* where data of the present message go */
    char *data[MESSAGES];      /* of ours, until they have gone out */
    Outgoing messages[MESSAGES];
    int begun, gone;
} Other;
static Other others[MOST_PEERS + 1];

/* The handlers: CREDIT has no data; of every third message nothing has a place, of others all. */
static bool begin(Peer *p)
{
    Other *o = &others[p->rank];
    append(&o->handed_over, &p->header, sizeof p->header);
    if (p->header.kind == CREDIT)
        return false;
    if (p->header.kind == ENDS) {
        p->ended = true;
        return false;
    }
    p->to = o->place;
    p->left = p->header.tag % 3 ? p->header.follows : p->header.follows / 2;
    p->skipped = p->header.follows - p->left;
    return true;
}

static void end(Peer *p)
{
    Other *o = &others[p->rank];
    const size_t kept = p->header.tag % 3 ? p->header.follows : p->header.follows / 2;
    append(&o->handed_over, o->place, kept);
}

static void has_gone(struct Request *request, Outgoing *message)
{
    Other *o = (Other *)request;
    CHECK(message == &o->messages[o->gone]);
    free(o->data[o->gone++]);
}

static const MessageHandlers handlers = {begin, end, has_gone};

static size_t random_length(void)
{
    return (size_t)(draw(3) ? draw(300) : draw(MOST_LENGTH));
}

static void fill(char *data, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        data[i] = (char)draw(256);
}

/* A message that the other process will send, and what should be handed over of it. */
static void plan_message(Other *o, Stream *expected, int tag)
{
    static char data[MOST_LENGTH];
    const bool is_short = draw(4) == 0;
    Header h = {.kind = is_short ? CREDIT : EAGER, .tag = tag};
    h.length = h.follows = is_short ? 0 : random_length();
    fill(data, h.follows);
    append(&o->comes, &h, sizeof h);
    append(&o->comes, data, h.follows);
    append(expected, &h, sizeof h);
    append(expected, data, tag % 3 ? h.follows : h.follows / 2);
}

static void send_message(Other *o, int rank)
{
    Outgoing *m = &o->messages[o->begun];
    m->header = (Header){.kind = EAGER, .tag = o->begun, .follows = random_length()};
    o->data[o->begun] = malloc(m->header.follows + 1);
    fill(o->data[o->begun], m->header.follows);
    m->data = o->data[o->begun++];
    m->request = (struct Request *)o;
    append(&o->goes, &m->header, sizeof m->header);
    append(&o->goes, m->data, m->header.follows);
    send_out(&peers[rank], m);
    if (draw(3) == 0) {
        const Header h = {.kind = CREDIT, .length = (uint64_t)draw(1000)};
        append(&o->goes, &h, sizeof h);
        send_short(&peers[rank], h);
    }
}

/* The other process sends a piece, and reads one. */
static void live(Other *o)
{
    static char piece[PIECE];
    size_t most = (size_t)(1 + draw(PIECE));
    if (most > o->comes.length - o->sent)
        most = o->comes.length - o->sent;
    const ssize_t out =
        most ? send(o->other, o->comes.bytes + o->sent, most, MSG_DONTWAIT | MSG_NOSIGNAL) : 0;
    o->sent += out > 0 ? (size_t)out : 0;
    const ssize_t in = recv(o->other, piece, (size_t)(1 + draw(PIECE)), MSG_DONTWAIT);
    if (in > 0)
        append(&o->went, piece, (size_t)in);
}

static void open_all(int count)
{
    static int first[3];
    static char *names[] = {"here", "there"};
    Met met[MOST_PEERS + 1];
    first[1] = 1;
    first[2] = count + 1;
    memset(others, 0, sizeof others);
    world = (World){.sites = 2, .all_sites = 2, .ranks = count + 1, .first = first, .names = names};
    met[0] = (Met){-1, own_representation()};
    for (int r = 1; r <= count; r++) {
        int pair[2];
        CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
        met[r] = (Met){pair[0], own_representation()};
        others[r].other = pair[1];
    }
    begin_wire(met);
}

static bool all_done(int count)
{
    bool done = !to_send;
    for (int r = 1; r <= count; r++)
        done &= others[r].sent == others[r].comes.length &&
                others[r].went.length == others[r].goes.length && peers[r].ended;
    return done;
}

static void exchange(int count)
{
    static const Header last = {.kind = ENDS};
    Stream expected[MOST_PEERS + 1] = {{0}};
    open_all(count);
    for (int r = 1; r <= count; r++) {
        for (int i = 0; i < MESSAGES; i++)
            plan_message(&others[r], &expected[r], i);
        append(&others[r].comes, &last, sizeof last);
        append(&expected[r], &last, sizeof last);
    }
    while (!all_done(count)) {
        const int r = 1 + draw(count);
        if (others[r].begun < MESSAGES && draw(2))
            send_message(&others[r], r);
        live(&others[r]);
        progress_wire();
    }
    for (int r = 1; r <= count; r++) {
        Other *o = &others[r];
        CHECK(o->gone == o->begun && o->begun > 0);
        CHECK(o->handed_over.length == expected[r].length &&
              !memcmp(o->handed_over.bytes, expected[r].bytes, expected[r].length));
        CHECK(!memcmp(o->went.bytes, o->goes.bytes, o->goes.length));
        free(expected[r].bytes);
        free(o->comes.bytes);
        free(o->handed_over.bytes);
        free(o->goes.bytes);
        free(o->went.bytes);
        close(o->other);
    }
    CHECK(wire_has_ended());
    close_wire();
}

/* A process has one wire. With few peers all are read in each turn, with many those of which epoll
 * tells. */
int main(int argc, char **argv)
{
    message_handlers = &handlers;
    exchange(argc > 1 && strcmp(argv[1], "many") == 0 ? MOST_PEERS : 2);
    return failures != 0;
}
