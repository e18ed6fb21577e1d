/* Plain sockets. The partner listens on all its interfaces and tells its IPv4 addresses over MPI;
 * the leader tries them in turn. A token proves that it met its partner: hosts may share an address
 * (of a container bridge, say) that leads elsewhere. */
#define _GNU_SOURCE
#include "harness.h"
#include "proc.h"
#include "tcp.h"
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

enum {
    ADDRESSES = 16,
    NETWORK_BYTES = 192,
    TCP_TAG = 51,
    PATIENCE_MILLISECONDS = 2000,
    NAME_BYTES = 32
};

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
    rw_read_line("/proc/sys/kernel/random/boot_id", boot, sizeof boot);
    rw_read_link("/proc/self/ns/net", name_space, sizeof name_space);
    snprintf(network, NETWORK_BYTES, "%s %s", boot, name_space);
}

static void list_addresses(Contact *contact)
{
    struct ifaddrs *interfaces = NULL;
    contact->addresses[contact->count++] = htonl(INADDR_LOOPBACK);
    if (getifaddrs(&interfaces) != 0)
        return;
    for (struct ifaddrs *i = interfaces; i && contact->count < ADDRESSES; i = i->ifa_next) {
        const unsigned live = IFF_UP | IFF_RUNNING; /* a dead one would cost the whole patience */
        if (!i->ifa_addr || i->ifa_addr->sa_family != AF_INET || i->ifa_flags & IFF_LOOPBACK ||
            (i->ifa_flags & live) != live)
            continue;
        struct sockaddr_in address;
        memcpy(&address, i->ifa_addr, sizeof address);
        contact->addresses[contact->count++] = address.sin_addr.s_addr;
    }
    freeifaddrs(interfaces);
}

static bool says_congestion_control(const Cell *c, int fd)
{
    char name[NAME_BYTES] = "";
    socklen_t length = sizeof name - 1;
    return getsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, name, &length) == 0 &&
           strncmp(name, c->congestion_control, sizeof name) == 0;
}

static void refuse_congestion_control(Cell *c, const char *reason)
{
    char allowed[128];
    rw_read_line("/proc/sys/net/ipv4/tcp_allowed_congestion_control", allowed, sizeof allowed);
    fail_cell(c, "the kernel of %s refuses the congestion control '%.16s': %s%s%s",
              host_of(c->job, c->rank), c->congestion_control, reason,
              allowed[0] ? "; it allows " : "", allowed);
}

/* Before the socket connects or listens, so that it holds from the first segment on; accepted
 * connections have their listener's. False, with the cell failed, if the kernel refuses. */
static bool set_congestion_control(Cell *c, int fd)
{
    const char *name = c->congestion_control;
    if (!name[0])
        return true;
    if (setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, name, (socklen_t)strlen(name)) == 0 &&
        says_congestion_control(c, fd))
        return true;
    refuse_congestion_control(c, errno == ENOENT ? "it does not have it" : strerror(errno));
    return false;
}

/* A socket to listen or connect with; -1, with the cell failed, if it cannot be had. */
static int open_socket(Cell *c)
{
    const int fd = socket(AF_INET, SOCK_STREAM, 0);
    if (fd < 0)
        fail_cell(c, "%s cannot open a TCP socket: %s", host_of(c->job, c->rank), strerror(errno));
    if (fd < 0 || set_congestion_control(c, fd))
        return fd;
    close(fd);
    return -1;
}

static int listen_anywhere(Cell *c, Contact *contact)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_ANY)};
    socklen_t length = sizeof address;
    const int listener = open_socket(c);
    if (listener < 0)
        return -1;
    if (bind(listener, (struct sockaddr *)&address, sizeof address) != 0 ||
        listen(listener, ADDRESSES) != 0 ||
        getsockname(listener, (struct sockaddr *)&address, &length) != 0) {
        fail_cell(c, "%s cannot listen for a TCP connection: %s", host_of(c->job, c->rank),
                  strerror(errno));
        close(listener);
        return -1;
    }
    contact->port = address.sin_port;
    contact->token = (uint64_t)getpid() << 32 ^ (uint64_t)(local_seconds(c->job) * 1e9);
    describe_network(contact->network);
    list_addresses(contact);
    return listener;
}

static bool is_ready(int fd, short events)
{
    struct pollfd wanted = {.fd = fd, .events = events};
    int ready;
    do
        ready = poll(&wanted, 1, PATIENCE_MILLISECONDS);
    while (ready < 0 && errno == EINTR);
    return ready == 1;
}

/* Connects, and hands over the token; -1 if nobody takes it. */
static int try_address(Cell *c, const Contact *contact, int index)
{
    const struct sockaddr_in address = {.sin_family = AF_INET,
                                        .sin_port = contact->port,
                                        .sin_addr.s_addr = contact->addresses[index]};
    const int fd = open_socket(c);
    int error = 0;
    socklen_t length = sizeof error;
    if (fd < 0)
        return -1;
    fcntl(fd, F_SETFL, O_NONBLOCK); /* connect must not wait for minutes */
    if (connect(fd, (const struct sockaddr *)&address, sizeof address) == 0 ||
        ((errno == EINPROGRESS || errno == EINTR) && is_ready(fd, POLLOUT) &&
         getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &length) == 0 && error == 0)) {
        fcntl(fd, F_SETFL, 0);
        ssize_t written;
        do
            written = write(fd, &contact->token, sizeof contact->token);
        while (written < 0 && errno == EINTR);
        if (written == sizeof contact->token)
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
    int fd;
    do
        fd = accept(listener, NULL, NULL);
    while (fd < 0 && errno == EINTR);
    if (fd < 0)
        return -1;
    if (is_ready(fd, POLLIN) && recv(fd, &token, sizeof token, MSG_DONTWAIT) == sizeof token &&
        token == contact->token)
        return fd;
    close(fd);
    return -1;
}

/* Both sides go through the addresses in step: the leader says whether it connected, the partner
 * whether it was the leader. Returns the connection, or -1 on both. */
static int meet(Cell *c, const Contact *contact, int listener)
{
    char mine[NETWORK_BYTES];
    describe_network(mine);
    const bool near = strcmp(mine, contact->network) == 0;
    int fd = -1, said = 0;
    for (int i = 0; i < contact->count && fd < 0; i++) {
        if (c->leads) {
            fd = i > 0 || near ? try_address(c, contact, i) : -1;
            said = fd >= 0;
            MPI_Send(&said, 1, MPI_INT, c->partner, TCP_TAG, c->job->comm);
            MPI_Recv(&said, 1, MPI_INT, c->partner, TCP_TAG, c->job->comm, MPI_STATUS_IGNORE);
            if (!said && fd >= 0) {
                close(fd);
                fd = -1;
            }
        } else {
            MPI_Recv(&said, 1, MPI_INT, c->partner, TCP_TAG, c->job->comm, MPI_STATUS_IGNORE);
            fd = said ? take_connection(listener, contact) : -1;
            said = fd >= 0;
            MPI_Send(&said, 1, MPI_INT, c->partner, TCP_TAG, c->job->comm);
        }
    }
    return fd;
}

/* Whether both ranks have what they need; without it neither may wait for the other. */
static bool both_ready(const Cell *c, int socket)
{
    int mine = socket >= 0, other = 0;
    MPI_Sendrecv(&mine, 1, MPI_INT, c->partner, TCP_TAG, &other, 1, MPI_INT, c->partner, TCP_TAG,
                 c->job->comm, MPI_STATUS_IGNORE);
    return mine && other;
}

static int connect_pair(Cell *c)
{
    Contact contact;
    memset(&contact, 0, sizeof contact);
    /* the leader's socket only shows that it can have one: each address is tried with another */
    const int own = !c->state ? -1 : c->leads ? open_socket(c) : listen_anywhere(c, &contact);
    int fd = -1;
    if (both_ready(c, own)) {
        if (c->leads)
            MPI_Recv(&contact, sizeof contact, MPI_BYTE, c->partner, TCP_TAG, c->job->comm,
                     MPI_STATUS_IGNORE);
        else
            MPI_Send(&contact, sizeof contact, MPI_BYTE, c->partner, TCP_TAG, c->job->comm);
        fd = meet(c, &contact, own);
        if (fd < 0 && !c->failure[0])
            fail_cell(
                c, "no TCP connection from %s to %s over %d IPv4 addresses; is there a firewall?",
                host_of(c->job, 0), host_of(c->job, c->ranks - 1), contact.count);
    }
    if (own >= 0)
        close(own);
    return fd;
}

void tcp_connect(Cell *c)
{
    Connection *connection = cell_memory(c, sizeof *connection);
    const int yes = 1;
    c->state = connection;
    if (connection)
        connection->fd = -1;
    if (!c->active)
        return;
    const int fd = connect_pair(c);
    if (fd < 0)
        return;
    connection->fd = fd;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    if (c->congestion_control[0] && !says_congestion_control(c, fd))
        refuse_congestion_control(c, "the connection has another");
}

void tcp_close(Cell *c)
{
    const Connection *connection = c->state;
    if (connection && connection->fd >= 0)
        close(connection->fd);
    free(c->state);
}
