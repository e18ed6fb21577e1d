#define _GNU_SOURCE
#include "encrypted.h"
#include "entry.h"

#include "gateway.h"
#include "settings.h"
#include "sockets.h"
#include <dlfcn.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define LIBRARY_VARIABLE "RANKWISE_JOIN_ENCRYPTION"

const Encryption *encryption;
static Session **sessions; /* shape (room), by socket */
static size_t room;

void load_encryption(void)
{
    const char *const path = getenv(LIBRARY_VARIABLE);
    if (!path)
        return;
    /* by itself: the program may have another OpenSSL, whose functions have the same names */
    void *const library = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
    EncryptionEntry *const open =
        library ? (EncryptionEntry *)entry_of(library, ENCRYPTION_ENTRY) : NULL;
    if (!open)
        stop("site %s cannot encrypt: %s; is OpenSSL's library installed there (`apt install "
             "openssl`)?",
             world.names[world.site], dlerror());
    encryption = open();
}

Session *session_of(int socket)
{
    return (size_t)socket < room ? sessions[socket] : NULL;
}

static void forget_session(int socket)
{
    Session *const s = session_of(socket);
    if (!s)
        return;
    encryption->end(s);
    sessions[socket] = NULL;
}

void encrypt(int socket, const char *protocol, const char *key, bool accepts)
{
    const size_t needed = (size_t)socket + 1;
    if (needed > room) {
        Session **more = realloc(sessions, 2 * needed * sizeof *more);
        if (!more)
            stop("out of memory");
        memset(more + room, 0, (2 * needed - room) * sizeof *more);
        sessions = more;
        room = 2 * needed;
    }
    const int one = 1; /* the last word of the handshake and the greeting go one after the other */
    setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    forget_session(socket); /* of a socket that had this number before */
    sessions[socket] = encryption->begin(socket, protocol, key, accepts);
    if (!sessions[socket])
        stop("site %s cannot encrypt: its OpenSSL has no TLS 1.3 with a key of both sides, or "
             "there is no memory",
             world.names[world.site]);
}

ssize_t send_parts(Session *s, const struct iovec parts[2])
{
    char record[RECORD_BYTES];
    const size_t first = parts[0].iov_len, room_left = sizeof record - first;
    const size_t second = parts[1].iov_len < room_left ? parts[1].iov_len : room_left;
    if (!first)
        return encryption->send(s, parts[1].iov_base, parts[1].iov_len);
    memcpy(record, parts[0].iov_base, first);
    if (second)
        memcpy(record + first, parts[1].iov_base, second);
    return encryption->send(s, record, first + second);
}

/* Until the connection can go on after EAGAIN: false, it has failed, or the time is over. */
static bool await_connection(const Session *s, int socket, bool sends, double until)
{
    return errno == EAGAIN &&
           await_socket(socket, sends && !encryption->listens(s) ? POLLOUT : POLLIN, until);
}

static bool receive_all(Session *s, int socket, void *to, size_t bytes, double until)
{
    for (char *at = to; bytes;) {
        const ssize_t done = encryption->receive(s, at, bytes, false);
        if (done == 0)
            errno = ECONNRESET;
        if (done == 0 || (done < 0 && !await_connection(s, socket, false, until)))
            return false;
        at += done > 0 ? done : 0;
        bytes -= done > 0 ? (size_t)done : 0;
    }
    return true;
}

static bool send_all(Session *s, int socket, const void *from, size_t bytes, double until)
{
    for (const char *at = from; bytes;) {
        const ssize_t done = encryption->send(s, at, bytes);
        if (done < 0 && !await_connection(s, socket, true, until))
            return false;
        at += done > 0 ? done : 0;
        bytes -= done > 0 ? (size_t)done : 0;
    }
    while (encryption->flush(s))
        if (!await_connection(s, socket, true, until))
            return false;
    return true;
}

bool read_all(int s, void *to, size_t bytes, double seconds)
{
    Session *const session = session_of(s);
    const double until = now() + seconds;
    if (session)
        return receive_all(session, s, to, bytes, until);
    for (char *at = to; bytes;) {
        const ssize_t done = recv(s, at, bytes, MSG_DONTWAIT);
        if (done == 0)
            errno = ECONNRESET;
        if (done == 0 ||
            (done < 0 && errno != EINTR && (errno != EAGAIN || !await_socket(s, POLLIN, until))))
            return false;
        at += done > 0 ? done : 0;
        bytes -= done > 0 ? (size_t)done : 0;
    }
    return true;
}

bool write_all(int s, const void *from, size_t bytes)
{
    Session *const session = session_of(s);
    const double until = now() + job_settings.seconds;
    if (session)
        return send_all(session, s, from, bytes, until);
    for (const char *at = from; bytes;) {
        const ssize_t done = send(s, at, bytes, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (done < 0 && errno != EINTR && (errno != EAGAIN || !await_socket(s, POLLOUT, until)))
            return false;
        at += done > 0 ? done : 0;
        bytes -= done > 0 ? (size_t)done : 0;
    }
    return true;
}

void close_connection(int socket)
{
    forget_session(socket);
    close(socket);
}
