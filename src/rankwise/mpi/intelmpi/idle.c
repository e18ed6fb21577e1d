/* Loaded into Intel MPI's ranks when there are more of them than cores: between hosts it has
 * libfabric. */
#define _GNU_SOURCE
#include "idle_epoll.h"

static const Yielding *yielding_functions(void)
{
    static const Yielding all[] = {{"epoll_wait", epoll_wait}, {NULL, NULL}};
    return all;
}
