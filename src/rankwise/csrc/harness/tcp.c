/* Plain sockets. The partner listens on all its interfaces and tells its IPv4 addresses over MPI;
 * the leader tries them in turn. A token proves that it met its partner: hosts may share an address
 * (of a container bridge, say) that leads elsewhere. */
#define _GNU_SOURCE
#include "tcp.h"
#include "harness.h"
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { ADDRESSES = 16, NETWORK_BYTES = 192, TCP_TAG = 51, PATIENCE_MILLISECONDS = 2000 };

/* How to reach a listening rank. */
typedef struct {
    char network[NETWORK_BYTES]; /* the same on ranks that share a loopback device */
    in_addr_t addresses[ADDRESSES];
    int count;
    in_port_t port;
    uint64_t token;
} Contact;

static void describe_network(char network[NETWORK_BYTES])
{
    char boot[64], name_space[64];
    read_line("/proc/sys/kernel/random/boot_id", boot, sizeof boot);
    read_link("/proc/self/ns/net", name_space, sizeof name_space);
    snprintf(network, NETWORK_BYTES, "%s %s", boot, name_space);
}

static void list_addresses(Contact *contact)
{
    struct ifaddrs *interfaces = NULL;
    contact->addresses[contact->count++] = htonl(INADDR_LOOPBACK);
    if (getifaddrs(&interfaces) != 0)
        return;
    for (struct ifaddrs *i = interfaces; i && contact->count < ADDRESSES; i = i->ifa_next) {
        if (!i->ifa_addr || i->ifa_addr->sa_family != AF_INET || i->ifa_flags & IFF_LOOPBACK)
            continue;
        struct sockaddr_in address;
        memcpy(&address, i->ifa_addr, sizeof address);
        contact->addresses[contact->count++] = address.sin_addr.s_addr;
    }
    freeifaddrs(interfaces);
}

static int listen_anywhere(Contact *contact)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_ANY)};
    socklen_t length = sizeof address;
    const int listener = socket(AF_INET, SOCK_STREAM, 0);
    if (listener < 0 || bind(listener, (struct sockaddr *)&address, sizeof address) != 0 ||
        listen(listener, ADDRESSES) != 0 ||
        getsockname(listener, (struct sockaddr *)&address, &length) != 0)
        return -1;
    contact->port = address.sin_port;
    contact->token = (uint64_t)getpid() << 32 ^ (uint64_t)(local_seconds() * 1e9);
    describe_network(contact->network);
    list_addresses(contact);
    return listener;
}

static bool is_ready(int fd, short events)
{
    struct pollfd wanted = {.fd = fd, .events = events};
    return poll(&wanted, 1, PATIENCE_MILLISECONDS) == 1;
}

/* Connects, and hands over the token; -1 if nobody takes it. */
static int try_address(const Contact *contact, int index)
{
    const struct sockaddr_in address = {.sin_family = AF_INET,
                                        .sin_port = contact->port,
                                        .sin_addr.s_addr = contact->addresses[index]};
    const int fd = socket(AF_INET, SOCK_STREAM, 0);
    int error = 0;
    socklen_t length = sizeof error;
    fcntl(fd, F_SETFL, O_NONBLOCK); /* connect must not wait for minutes */
    if (connect(fd, (const struct sockaddr *)&address, sizeof address) == 0 ||
        (errno == EINPROGRESS && is_ready(fd, POLLOUT) &&
         getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &length) == 0 && error == 0)) {
        fcntl(fd, F_SETFL, 0);
        if (write(fd, &contact->token, sizeof contact->token) == sizeof contact->token)
            return fd;
    }
    close(fd);
    return -1;
}

static int take_connection(int listener, const Contact *contact)
{
    uint64_t token = 0;
    if (!is_ready(listener, POLLIN))
        return -1;
    const int fd = accept(listener, NULL, NULL);
    if (is_ready(fd, POLLIN) && read(fd, &token, sizeof token) == sizeof token &&
        token == contact->token)
        return fd;
    close(fd);
    return -1;
}

/* Both sides go through the addresses in step: the leader says whether it connected, the partner
 * whether it was the leader. Returns the connection, or -1 on both. */
static int meet(const Cell *c, const Contact *contact, int listener)
{
    char mine[NETWORK_BYTES];
    describe_network(mine);
    const bool near = strcmp(mine, contact->network) == 0;
    int fd = -1, said = 0;
    for (int i = 0; i < contact->count && fd < 0; i++) {
        if (c->leads) {
            fd = i > 0 || near ? try_address(contact, i) : -1;
            said = fd >= 0;
            MPI_Send(&said, 1, MPI_INT, c->partner, TCP_TAG, world.comm);
            MPI_Recv(&said, 1, MPI_INT, c->partner, TCP_TAG, world.comm, MPI_STATUS_IGNORE);
            if (!said && fd >= 0) {
                close(fd);
                fd = -1;
            }
        } else {
            MPI_Recv(&said, 1, MPI_INT, c->partner, TCP_TAG, world.comm, MPI_STATUS_IGNORE);
            fd = said ? take_connection(listener, contact) : -1;
            said = fd >= 0;
            MPI_Send(&said, 1, MPI_INT, c->partner, TCP_TAG, world.comm);
        }
    }
    return fd;
}

void tcp_connect(Cell *c)
{
    Contact contact;
    int listener = -1, *fd = malloc(sizeof *fd);
    const int yes = 1;
    if (!fd)
        abort();
    *fd = -1;
    c->state = fd;
    if (!c->active)
        return;
    memset(&contact, 0, sizeof contact);
    if (c->leads) {
        MPI_Recv(&contact, sizeof contact, MPI_BYTE, c->partner, TCP_TAG, world.comm,
                 MPI_STATUS_IGNORE);
    } else {
        listener = listen_anywhere(&contact);
        MPI_Send(&contact, sizeof contact, MPI_BYTE, c->partner, TCP_TAG, world.comm);
    }
    *fd = meet(c, &contact, listener);
    if (listener >= 0)
        close(listener);
    if (*fd < 0)
        fail_cell(c, "no TCP connection from %s to %s over %d IPv4 addresses; is there a firewall?",
                  host_of(0), host_of(c->ranks - 1), contact.count);
    else
        setsockopt(*fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
}

void tcp_close(Cell *c)
{
    int *fd = c->state;
    if (*fd >= 0)
        close(*fd);
    free(fd);
}

static size_t stream_bytes(const Cell *c)
{
    return c->payload_bytes ? c->payload_bytes : 1;
}

void tcp_send(Cell *c)
{
    const int fd = *(int *)c->state;
    for (size_t done = 0; done < stream_bytes(c);) {
        const ssize_t sent = send(fd, c->send + done, stream_bytes(c) - done, MSG_NOSIGNAL);
        if (sent < 0 && errno != EINTR)
            end_job(strerror(errno));
        done += sent > 0 ? (size_t)sent : 0;
    }
}

void tcp_receive(Cell *c)
{
    const int fd = *(int *)c->state;
    for (size_t done = 0; done < stream_bytes(c);) {
        const ssize_t got = recv(fd, c->receive + done, stream_bytes(c) - done, 0);
        if (got == 0 || (got < 0 && errno != EINTR))
            end_job(got ? strerror(errno) : "the TCP connection was closed");
        done += got > 0 ? (size_t)got : 0;
    }
}
