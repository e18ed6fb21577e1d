#include "outgoing.h"
#include "encrypted.h"
#include "gateway.h"
#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/uio.h>

long to_send;
const MessageHandlers *message_handlers;

static void sent(Peer *p, Outgoing *message)
{
    p->first = message->next;
    if (!p->first)
        p->last = NULL;
    to_send--;
    if (message->request)
        message_handlers->sent(message->request, message);
    else
        free(message);
}

/* It has ended, and listens no more: what would still have been said to it is not. */
static void drop_messages(Peer *p)
{
    while (p->first) {
        Outgoing *m = p->first;
        p->first = m->next;
        to_send--;
        if (!m->request)
            free(m);
    }
    p->last = NULL;
    to_send -= p->unflushed;
    p->unflushed = false;
}

/* What is taken of a message now: as sendmsg(). */
static ssize_t send_some(Peer *p, Outgoing *m)
{
    const size_t header = sizeof m->header, done = m->sent < header ? 0 : m->sent - header;
    struct iovec parts[2] = {
        {(char *)&m->header + m->sent, m->sent < header ? header - m->sent : 0},
        {(char *)m->data + done, m->header.follows - done}};
    if (p->session) {
        const ssize_t bytes = send_parts(p->session, parts);
        if (bytes > 0 && !p->unflushed) {
            p->unflushed = true;
            to_send++;
        }
        return bytes;
    }
    const bool both = parts[0].iov_len > 0;
    struct msghdr whole = {.msg_iov = both ? parts : parts + 1, .msg_iovlen = both ? 2 : 1};
    return sendmsg(p->socket, &whole, MSG_NOSIGNAL | MSG_DONTWAIT);
}

/* Whether it is but for now that nothing goes out; else it has ended, or the job does. */
static void cannot_send(Peer *p)
{
    if (errno == EAGAIN || errno == EINTR)
        return;
    if (!p->ended)
        give_up("lost the connection to", p->rank);
    drop_messages(p);
}

bool flush(Peer *p)
{
    bool moved = false;
    while (p->first) {
        Outgoing *m = p->first;
        const ssize_t bytes = send_some(p, m);
        if (bytes < 0) {
            cannot_send(p);
            return moved;
        }
        moved = true;
        m->sent += (size_t)bytes;
        if (m->sent == sizeof m->header + m->header.follows)
            sent(p, m);
    }
    if (!p->unflushed)
        return moved;
    if (encryption->flush(p->session)) {
        cannot_send(p);
    } else {
        p->unflushed = false;
        to_send--;
    }
    return moved;
}

void send_out(Peer *p, Outgoing *message)
{
    message->sent = 0;
    message->next = NULL;
    if (p->last)
        p->last->next = message;
    else
        p->first = message;
    p->last = message;
    to_send++;
    if (p->first == message)
        flush(p);
}

void send_short(Peer *p, Header header)
{
    Outgoing *message = calloc(1, sizeof *message);
    if (!message)
        give_up("out of memory for a message to", p->rank);
    message->header = header;
    send_out(p, message);
}
