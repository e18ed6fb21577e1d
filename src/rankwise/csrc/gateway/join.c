/* The first process of the first site waits at a port that all have been told
 *
 *     RANKWISE_JOIN=HOST/PORT/KEY/SITE/RANKS,RANKS/NAME,NAME/SECONDS
 *
 * until every process has come and said at which port of its own it listens; then it tells all of
 * them all addresses. Each process connects to those of the sites before its own. */
#define _GNU_SOURCE
#include "join.h"

#include "gateway.h"
#include "wire.h"
#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { KEY_BYTES = 40, HELLO_SECONDS = 5, BYTE_ORDER_MARK = 0x01020304, PROTOCOL = 1 };

/* What each says first, to whoever it connects. */
typedef struct {
    char magic[8]; /* "rankwise" */
    uint32_t order, protocol;
    char key[KEY_BYTES];
    int32_t rank, tag_bound;
    uint16_t port, unused; /* network order */
} Hello;

typedef struct {
    uint32_t address; /* network order; 0: where the first process is */
    uint16_t port, unused;
    int32_t tag_bound;
} Entry;

static char *host, *key;
static int meeting_port;
static double deadline, patience;

World world;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

__attribute__((format(printf, 1, 2), noreturn)) static void stop(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char text[512];
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fprintf(stderr, "libmpi_abi: %s\n", text);
    usleep(200000); /* some launchers drop what a process says as it dies */
    below.Abort(MPI_COMM_WORLD, 1);
    _exit(1);
}

/* A site that fails is told of by its own launcher, which then ends this one: that comes first. */
void give_up(const char *what, int rank)
{
    usleep(1000000);
    stop("%s rank %d, site %s: the joined job ends", what, rank, world.names[site_of_rank(rank)]);
}

/* Splits at a character, in place. The number of parts. */
static int split(char *text, char at, char **parts, int most)
{
    int count = 0;
    while (text && count < most) {
        parts[count++] = text;
        text = strchr(text, at);
        if (text)
            *text++ = '\0';
    }
    return count;
}

static void read_settings(char *text)
{
    char *fields[8];
    if (split(text, '/', fields, 8) != 7)
        stop("RANKWISE_JOIN is not what `rankwise run --join` writes");
    host = fields[0];
    meeting_port = atoi(fields[1]);
    key = fields[2];
    world.site = atoi(fields[3]);
    patience = atof(fields[6]);
    deadline = now() + patience;
    const int most = (int)strlen(fields[4]) + 2;
    char **sizes = calloc((size_t)most, sizeof *sizes);
    world.names = calloc((size_t)most, sizeof *world.names);
    world.first = calloc((size_t)most, sizeof *world.first);
    if (!sizes || !world.names || !world.first)
        stop("there is no memory");
    world.sites = split(fields[4], ',', sizes, most);
    split(fields[5], ',', world.names, most);
    for (int s = 0; s < world.sites; s++)
        world.first[s + 1] = world.first[s] + atoi(sizes[s]);
    world.ranks = world.first[world.sites];
    free(sizes);
}

static void find_place(void)
{
    int rank, size, there = 0, *bound = NULL;
    below.Comm_rank(MPI_COMM_WORLD, &rank);
    below.Comm_size(MPI_COMM_WORLD, &size);
    if (size != world.first[world.site + 1] - world.first[world.site])
        stop("site %s has %d ranks in MPI_COMM_WORLD, not %d: was it started by its own MPI's "
             "launcher?",
             world.names[world.site], size, world.first[world.site + 1] - world.first[world.site]);
    world.rank = world.first[world.site] + rank;
    below.Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &bound, &there);
    world.tag_bound = there ? *bound : 32767;
}

static Hello hello(uint16_t port)
{
    Hello h = {.magic = "rankwise",
               .order = BYTE_ORDER_MARK,
               .protocol = PROTOCOL,
               .rank = world.rank,
               .tag_bound = world.tag_bound,
               .port = port};
    snprintf(h.key, sizeof h.key, "%s", key);
    return h;
}

/* A socket that listens at this port, or at any (0); *port in network order. */
static int listen_at(int wanted, uint16_t *port)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons((uint16_t)wanted)};
    socklen_t bytes = sizeof at;
    const int one = 1, s = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    setsockopt(s, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (s < 0 || bind(s, (struct sockaddr *)&at, sizeof at) || listen(s, SOMAXCONN) ||
        getsockname(s, (struct sockaddr *)&at, &bytes))
        stop("cannot listen at port %d: %s", wanted, strerror(errno));
    *port = at.sin_port;
    return s;
}

/* All of it, or false: within so many seconds. */
static bool read_all(int s, void *to, size_t bytes, double seconds)
{
    const struct timeval limit = {(time_t)seconds + 1, 0};
    setsockopt(s, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    return recv(s, to, bytes, MSG_WAITALL) == (ssize_t)bytes;
}

static bool write_all(int s, const void *from, size_t bytes)
{
    for (const char *at = from; bytes;) {
        const ssize_t done = send(s, at, bytes, MSG_NOSIGNAL);
        if (done <= 0)
            return false;
        at += done;
        bytes -= (size_t)done;
    }
    return true;
}

static int connect_to(struct sockaddr_in at, const char *whom)
{
    for (;;) {
        const int s = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        if (s >= 0 && !connect(s, (struct sockaddr *)&at, sizeof at))
            return s;
        const int error = errno;
        close(s);
        if (now() > deadline)
            stop("site %s cannot reach %s at %s, port %d: %s; does a firewall close that port, or "
                 "did that site's job not start?",
                 world.names[world.site], whom, inet_ntoa(at.sin_addr), ntohs(at.sin_port),
                 strerror(error));
        usleep(20000);
    }
}

/* The next connection whose hello is right: whoever else comes is sent away. */
static int accept_from(int listener, Hello *from, struct sockaddr_in *address, const char *missing)
{
    for (;;) {
        struct pollfd ready = {.fd = listener, .events = POLLIN};
        socklen_t bytes = sizeof *address;
        const int left = (int)(1e3 * (deadline - now()));
        if (left <= 0 || poll(&ready, 1, left) == 0)
            stop("not everybody came within %.0f s: %s", patience, missing);
        const int s = accept4(listener, (struct sockaddr *)address, &bytes, SOCK_CLOEXEC);
        if (s < 0)
            continue;
        const Hello mine = hello(0);
        if (read_all(s, from, sizeof *from, HELLO_SECONDS) &&
            !memcmp(from, &mine, offsetof(Hello, rank)) && from->rank >= 0 &&
            from->rank < world.ranks)
            return s;
        close(s);
    }
}

static void who_is_missing(const Entry *all, char *text, size_t room)
{
    int length = 0;
    text[0] = '\0';
    for (int s = 0; s < world.sites && length < (int)room; s++) {
        int here = 0;
        for (int r = world.first[s]; r < world.first[s + 1]; r++)
            here += all[r].port != 0;
        length += snprintf(text + length, room - (size_t)length, "%s%s %d of %d", s ? ", " : "",
                           world.names[s], here, world.first[s + 1] - world.first[s]);
    }
}

/* The first process: collects all, and tells all. */
static void preside(Entry *all, uint16_t port)
{
    uint16_t unused;
    char missing[256];
    const int listener = listen_at(meeting_port, &unused);
    int *sockets = calloc((size_t)world.ranks, sizeof *sockets);
    if (!sockets)
        stop("there is no memory");
    all[0] = (Entry){0, port, 0, world.tag_bound};
    for (int left = world.ranks - 1; left;) {
        Hello from;
        struct sockaddr_in address;
        who_is_missing(all, missing, sizeof missing);
        const int s = accept_from(listener, &from, &address, missing);
        if (all[from.rank].port) {
            close(s);
            continue;
        }
        all[from.rank] = (Entry){address.sin_addr.s_addr, from.port, 0, from.tag_bound};
        sockets[from.rank] = s;
        left--;
    }
    for (int r = 1; r < world.ranks; r++) {
        write_all(sockets[r], all, (size_t)world.ranks * sizeof *all);
        close(sockets[r]);
    }
    free(sockets);
    close(listener);
}

/* Any other process: says where it is, and hears where all are. Returns where the first one is. */
static struct in_addr attend(Entry *all, uint16_t port)
{
    struct addrinfo wanted = {.ai_family = AF_INET, .ai_socktype = SOCK_STREAM}, *found;
    const int wrong = getaddrinfo(host, NULL, &wanted, &found);
    if (wrong)
        stop("site %s does not know the host %s: %s", world.names[world.site], host,
             gai_strerror(wrong));
    struct sockaddr_in at = *(struct sockaddr_in *)found->ai_addr;
    freeaddrinfo(found);
    at.sin_port = htons((uint16_t)meeting_port);
    const int s = connect_to(at, world.names[0]);
    const Hello mine = hello(port);
    if (!write_all(s, &mine, sizeof mine) ||
        !read_all(s, all, (size_t)world.ranks * sizeof *all, deadline - now()))
        stop("site %s was not told where the others are: not all of them have come",
             world.names[world.site]);
    close(s);
    return at.sin_addr;
}

static void connected(int rank, int s)
{
    const int one = 1;
    setsockopt(s, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    open_peer(rank, s);
}

static void connect_all(const Entry *all, struct in_addr first, int listener)
{
    int left = world.ranks - world.first[world.site + 1];
    for (int r = 0; r < world.first[world.site]; r++) {
        struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = all[r].port};
        at.sin_addr.s_addr = all[r].address ? all[r].address : first.s_addr;
        const int s = connect_to(at, world.names[site_of_rank(r)]);
        const Hello mine = hello(0);
        if (!write_all(s, &mine, sizeof mine))
            give_up("lost the connection to", r);
        connected(r, s);
    }
    while (left) {
        Hello from;
        struct sockaddr_in address;
        const int s = accept_from(listener, &from, &address, "a later site cannot reach this one");
        if (from.rank < world.first[world.site + 1] || peers[from.rank].socket >= 0) {
            close(s);
            continue;
        }
        connected(from.rank, s);
        left--;
    }
}

int meet(void)
{
    char *settings = getenv("RANKWISE_JOIN");
    uint16_t port;
    struct in_addr first = {0};
    if (!settings)
        return 0;
    read_settings(strdup(settings));
    find_place();
    Entry *all = calloc((size_t)world.ranks, sizeof *all);
    peers = calloc((size_t)world.ranks, sizeof *peers);
    if (!all || !peers)
        stop("there is no memory");
    for (int r = 0; r < world.ranks; r++)
        peers[r] = (Peer){.socket = -1, .rank = r, .credit = CREDIT_BYTES};
    const int listener = listen_at(0, &port);
    if (world.rank == 0)
        preside(all, port);
    else
        first = attend(all, port);
    for (int r = 0; r < world.ranks; r++)
        if (all[r].tag_bound < world.tag_bound)
            world.tag_bound = all[r].tag_bound;
    connect_all(all, first, listener);
    close(listener);
    free(all);
    return 1;
}
