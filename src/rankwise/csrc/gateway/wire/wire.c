#include "wire.h"
#include "encrypted.h"
#include "gateway.h"
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    STAGE_BYTES = 64 << 10,
    SHORT_STAGE_BYTES = 1 << 10,
    DIRECT_BYTES = 16 << 10,
    FEW_PEERS = 4,
    MOST_READS = 16,
    EVENTS = 32
};

Peer *peers;
static int connected, *connections, waits = -1; /* world ranks of peers; epoll's descriptor */
static bool some_left;                          /* we have taken leave of some */
static bool some_unread;

void open_peer(int rank, int socket)
{
    Peer *p = &peers[rank];
    const int one = 1;
    setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    p->socket = socket;
    p->session = session_of(socket);
    p->unread = some_unread = p->session != NULL; /* it may have come with the greeting */
    p->stage = malloc(STAGE_BYTES);
    if (!connections) {
        connections = calloc((size_t)world.ranks + MOST_OTHERS, sizeof *connections);
        waits = epoll_create1(EPOLL_CLOEXEC);
    }
    struct epoll_event event = {.events = EPOLLIN, .data.u32 = (uint32_t)rank};
    if (!p->stage || !connections || waits < 0 ||
        epoll_ctl(waits, EPOLL_CTL_ADD, socket, &event) != 0)
        give_up("out of memory for a connection to", rank);
    connections[connected++] = rank;
}

void note_representation(int rank, Representation theirs)
{
    const Representation own = own_representation();
    const char *const reason = cannot_convert(own, theirs);
    if (reason)
        stop("site %s cannot join rank %d, site %s: %s", world.names[world.site], rank,
             world.names[site_of_rank(rank)], reason);
    peers[rank].representation = theirs;
    peers[rank].other_order = in_other_order(own, theirs);
    peers[rank].external = site_of_rank(rank) != world.site && needs_external(own, theirs);
}

void begin_wire(const Met *met)
{
    peers = calloc((size_t)world.ranks + MOST_OTHERS, sizeof *peers);
    if (!peers)
        stop("out of memory");
    for (int r = 0; r < world.ranks + MOST_OTHERS; r++)
        peers[r] = (Peer){.socket = -1, .rank = r, .credit = CREDIT_BYTES};
    for (int r = 0; r < world.ranks; r++) {
        note_representation(r, met[r].representation);
        if (met[r].socket >= 0)
            open_peer(r, met[r].socket);
    }
}

/* Reads at least a byte, straight to its place where much is to come, and little where that seems
 * about to be so: what is read sooner has to be copied. False: there is nothing. */
static bool read_more(Peer *p)
{
    const bool direct = p->in_data && p->left >= DIRECT_BYTES;
    const size_t most = p->granted || p->long_ones ? SHORT_STAGE_BYTES : STAGE_BYTES;
    char *const to = direct ? p->to : p->stage;
    const size_t room = direct ? p->left : most;
    const ssize_t bytes = p->session ? encryption->receive(p->session, to, room, false)
                                     : recv(p->socket, to, room, MSG_DONTWAIT);
    if (bytes < 0 && (errno == EAGAIN || errno == EINTR))
        return false;
    if (bytes <= 0) {
        if (!p->ended)
            give_up("lost the connection to", p->rank);
        epoll_ctl(waits, EPOLL_CTL_DEL, p->socket, NULL);
        return false;
    }
    if (direct) {
        p->to += bytes;
        p->left -= (size_t)bytes;
    } else {
        p->stage_from = 0;
        p->stage_to = (size_t)bytes;
    }
    return true;
}

static size_t take(Peer *p, void *to, size_t most)
{
    const size_t there = p->stage_to - p->stage_from, bytes = there < most ? there : most;
    if (to)
        memcpy(to, p->stage + p->stage_from, bytes);
    p->stage_from += bytes;
    return bytes;
}

static void look_at_stage(Peer *p)
{
    if (!p->in_data) {
        p->header_bytes +=
            take(p, (char *)&p->header + p->header_bytes, sizeof p->header - p->header_bytes);
        if (p->header_bytes < sizeof p->header)
            return;
        p->header_bytes = 0;
        if (p->header.kind != CREDIT && p->header.kind != GRANTS)
            p->long_ones = p->header.follows >= STAGE_BYTES;
        p->in_data = message_handlers->begin(p);
    } else if (p->left) {
        const size_t bytes = take(p, p->to, p->left);
        p->to += bytes;
        p->left -= bytes;
    } else {
        p->skipped -= take(p, NULL, p->skipped);
    }
}

/* All that has been read is looked at: nobody would tell us of it again. What TLS has read is not
 * told of either. */
static bool read_peer(Peer *p)
{
    int reads = 0;
    while (!p->ended) {
        if (p->in_data && !p->left && !p->skipped) {
            p->in_data = false;
            message_handlers->end(p);
        } else if (p->stage_from < p->stage_to) {
            look_at_stage(p);
        } else if (reads == MOST_READS || !read_more(p)) {
            break;
        } else {
            reads++;
        }
    }
    if (p->session && reads == MOST_READS && !p->ended)
        p->unread = some_unread = true;
    return reads > 0;
}

void take_leave(int rank)
{
    peers[rank].dismissed = some_left = true;
    if (peers[rank].socket >= 0)
        send_short(&peers[rank], (Header){.kind = ENDS});
}

static void close_peer(Peer *p)
{
    close_connection(p->socket);
    free(p->stage);
    p->socket = -1;
    p->session = NULL;
    p->stage = NULL;
}

/* Those that have taken leave as well. */
static void close_left(void)
{
    int kept = 0;
    for (int i = 0; i < connected; i++) {
        Peer *p = &peers[connections[i]];
        if (p->dismissed && p->ended && !p->first && !p->unflushed)
            close_peer(p);
        else
            connections[kept++] = connections[i];
    }
    connected = kept;
}

static bool read_unread(void)
{
    bool moved = false;
    some_unread = false;
    for (int i = 0; i < connected; i++) {
        Peer *p = &peers[connections[i]];
        if (!p->unread)
            continue;
        p->unread = false;
        moved |= read_peer(p);
    }
    return moved;
}

bool progress_wire(void)
{
    bool moved = false;
    if (some_left)
        close_left();
    if (to_send)
        for (int i = 0; i < connected; i++)
            if (peers[connections[i]].first || peers[connections[i]].unflushed)
                moved |= flush(&peers[connections[i]]);
    if (connected <= FEW_PEERS) { /* one call less than to ask which of them has something */
        for (int i = 0; i < connected; i++)
            moved |= read_peer(&peers[connections[i]]);
        return moved;
    }
    if (some_unread)
        moved |= read_unread();
    struct epoll_event events[EVENTS];
    const int ready = epoll_wait(waits, events, EVENTS, 0);
    for (int i = 0; i < ready; i++)
        moved |= read_peer(&peers[events[i].data.u32]);
    return moved;
}

void end_wire(void)
{
    for (int i = 0; i < connected; i++)
        if (!peers[connections[i]].dismissed)
            send_short(&peers[connections[i]], (Header){.kind = ENDS});
}

bool wire_has_ended(void)
{
    for (int i = 0; i < connected; i++)
        if (!peers[connections[i]].ended)
            return false;
    return !to_send;
}

void close_wire(void)
{
    for (int i = 0; i < connected; i++)
        close_peer(&peers[connections[i]]);
    connected = 0;
    if (waits >= 0)
        close(waits);
}
