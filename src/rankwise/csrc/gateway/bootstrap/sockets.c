#define _GNU_SOURCE
#include "sockets.h"

#include "gateway.h"
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
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

int port_of(int listener)
{
    struct sockaddr_in at = {.sin_port = 0};
    socklen_t bytes = sizeof at;
    getsockname(listener, (struct sockaddr *)&at, &bytes);
    return ntohs(at.sin_port);
}

const char *find_address(const char *host, int port, struct sockaddr_in *at)
{
    struct addrinfo wanted = {.ai_family = AF_INET, .ai_socktype = SOCK_STREAM}, *found;
    int wrong;
    do {
        wrong = getaddrinfo(host, NULL, &wanted, &found);
    } while (wrong == EAI_SYSTEM && errno == EINTR);
    if (wrong)
        return gai_strerror(wrong);
    *at = *(struct sockaddr_in *)found->ai_addr;
    freeaddrinfo(found);
    at->sin_port = htons((uint16_t)port);
    return NULL;
}

struct sockaddr_in address_of(const char *host, int port)
{
    struct sockaddr_in at;
    const char *const wrong = find_address(host, port, &at);
    if (wrong)
        stop("site %s does not know the host %s: %s", world.names[world.site], host, wrong);
    return at;
}

bool await_socket(int s, short events, double until)
{
    for (;;) {
        const double left = until - now();
        struct pollfd wanted = {.fd = s, .events = events};
        const int ready = poll(&wanted, 1, left > 0 ? (int)(left * 1e3) + 1 : 0);
        if (ready > 0)
            return true;
        if (ready == 0)
            errno = ETIMEDOUT;
        if (ready == 0 || errno != EINTR)
            return false;
    }
}

int try_to_connect(struct sockaddr_in at, double deadline, int *error)
{
    const int s = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    socklen_t bytes = sizeof *error;
    *error = 0;
    if (s < 0 ||
        (connect(s, (struct sockaddr *)&at, sizeof at) && errno != EINPROGRESS && errno != EINTR))
        *error = errno;
    if (!*error && !await_socket(s, POLLOUT, deadline))
        *error = errno;
    if (!*error && getsockopt(s, SOL_SOCKET, SO_ERROR, error, &bytes))
        *error = errno;
    if (!*error && fcntl(s, F_SETFL, fcntl(s, F_GETFL) & ~O_NONBLOCK) == 0)
        return s;
    if (s >= 0)
        close(s);
    return -1;
}

int connect_to(struct sockaddr_in at, const char *whom, const char *remedy, double deadline)
{
    for (;;) {
        int error;
        const int s = try_to_connect(at, deadline, &error);
        if (s >= 0)
            return s;
        if (now() > deadline)
            stop("site %s cannot reach %s at %s, port %d: %s; %s", world.names[world.site], whom,
                 inet_ntoa(at.sin_addr), ntohs(at.sin_port), strerror(error), remedy);
        usleep(20000);
    }
}
