/* Ranks that wait by asking libfabric without end, which asks epoll_wait() for what is there
 * already, yield here. Included by one file of a library that is loaded into them. */
#ifndef RANKWISE_IDLE_EPOLL_H
#define RANKWISE_IDLE_EPOLL_H

#include "idle.h"
#include <sys/epoll.h>

/* While this is set, the caller yields by itself. */
static __thread bool caller_yields;

int epoll_wait(int set, struct epoll_event *events, int most, int milliseconds)
{
    static int (*wait)(int, struct epoll_event *, int, int);
    if (!wait)
        *(void **)&wait = dlsym(RTLD_NEXT, "epoll_wait");
    const int count = wait(set, events, most, milliseconds);
    if (milliseconds == 0 && !caller_yields)
        after_poll(count != 0);
    return count;
}

#endif
