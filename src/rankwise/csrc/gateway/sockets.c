#define _GNU_SOURCE
#include "sockets.h"

#include "gateway.h"
#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int listen_at(int wanted, uint16_t *port)
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

struct sockaddr_in address_of(const char *host, int port)
{
    struct addrinfo wanted = {.ai_family = AF_INET, .ai_socktype = SOCK_STREAM}, *found;
    const int wrong = getaddrinfo(host, NULL, &wanted, &found);
    if (wrong)
        stop("site %s does not know the host %s: %s", world.names[world.site], host,
             gai_strerror(wrong));
    struct sockaddr_in at = *(struct sockaddr_in *)found->ai_addr;
    freeaddrinfo(found);
    at.sin_port = htons((uint16_t)port);
    return at;
}

bool read_all(int s, void *to, size_t bytes, double seconds)
{
    const struct timeval limit = {(time_t)seconds + 1, 0};
    setsockopt(s, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    return recv(s, to, bytes, MSG_WAITALL) == (ssize_t)bytes;
}

bool write_all(int s, const void *from, size_t bytes)
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

int connect_to(struct sockaddr_in at, const char *whom, double deadline)
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
