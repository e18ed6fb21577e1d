/* The congestion control of the TCP connections that the program and its MPI make, where a variable
 * names one: a job may have its own so, where only root could change that of the hosts. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

typedef int Socket(int domain, int type, int protocol);

/* Before MPI_Init there is nothing to abort: the launcher ends the job. */
static void choose_control(int made, const char *control)
{
    if (setsockopt(made, IPPROTO_TCP, TCP_CONGESTION, control, (socklen_t)strlen(control)) == 0)
        return;
    fprintf(stderr,
            "rankwise overlay: TCP's congestion control cannot be %s here: %s. Users may have what "
            "/proc/sys/net/ipv4/tcp_allowed_congestion_control says; root can add to it\n",
            control, strerror(errno));
    _exit(2);
}

/* What is accepted has the congestion control of the socket that listens. */
__attribute__((visibility("default"))) int socket(int domain, int type, int protocol)
{
    Socket *next;
    *(void **)&next = dlsym(RTLD_NEXT, "socket");
    const int made = next(domain, type, protocol);
    const char *control = getenv("RANKWISE_OVERLAY_CONGESTION_CONTROL");
    const int kind = type & ~(SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (made >= 0 && control && *control && kind == SOCK_STREAM &&
        (domain == AF_INET || domain == AF_INET6))
        choose_control(made, control);
    return made;
}
