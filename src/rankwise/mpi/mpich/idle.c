/* Loaded into MPICH's ranks when there are more of them than cores: such a rank waits by calling
 * ucp_worker_progress() without end. */
#define _GNU_SOURCE
#include "idle.h"
#include <dlfcn.h>

unsigned ucp_worker_progress(void *worker); /* of UCX, whose headers need not be here */

unsigned ucp_worker_progress(void *worker)
{
    static unsigned (*progress)(void *);
    if (!progress)
        *(void **)&progress = dlsym(RTLD_NEXT, "ucp_worker_progress");
    const unsigned events = progress(worker);
    after_poll(events > 0);
    return events;
}
