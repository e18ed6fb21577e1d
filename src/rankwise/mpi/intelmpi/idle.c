/* Loaded into Intel MPI's ranks when there are more of them than cores: between hosts it has
 * libfabric. */
#define _GNU_SOURCE
#include "idle_epoll.h"
