/* Loaded into Intel MPI's ranks when there are more of them than cores: between hosts such a rank
 * waits by asking libfabric without end, which asks epoll_wait() for what is there already. */
#define _GNU_SOURCE
#include "idle.h"
#include <dlfcn.h>
#include <sys/epoll.h>

int epoll_wait(int set, struct epoll_event *events, int most, int milliseconds)
{
    static int (*wait)(int, struct epoll_event *, int, int);
    if (!wait)
        *(void **)&wait = dlsym(RTLD_NEXT, "epoll_wait");
    const int count = wait(set, events, most, milliseconds);
    if (milliseconds == 0)
        after_poll(count != 0);
    return count;
}
