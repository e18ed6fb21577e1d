/* Loaded into MPICH's ranks when there are more of them than cores: such a rank waits by calling
 * ucp_worker_progress() without end, or with its netmod ofi by asking libfabric. */
#define _GNU_SOURCE
#include "idle_epoll.h"
#include <stdio.h>
#include <stdlib.h>

typedef unsigned Progress(void *worker);

Progress ucp_worker_progress; /* of UCX, whose headers need not be here */

/* That of the library which calls it: a program's own MPI may have another one. */
static Progress *of_ucx(const void *caller)
{
    void *found = NULL;
    Dl_info library;
    if (dladdr(caller, &library)) {
        void *const handle = dlopen(library.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
        if (handle)
            found = dlsym(handle, "ucp_worker_progress");
    }
    if (!found || found == (void *)ucp_worker_progress)
        found = dlsym(RTLD_NEXT, "ucp_worker_progress");
    if (!found) {
        fputs(
            "rankwise: cannot find the UCX that MPICH has loaded, so ranks that share cores cannot "
            "yield; run at most one rank a core\n",
            stderr);
        abort();
    }
    Progress *progress;
    *(void **)&progress = found;
    return progress;
}

unsigned ucp_worker_progress(void *worker)
{
    static Progress *progress;
    if (!progress)
        progress = of_ucx(__builtin_return_address(0));
    caller_yields = true; /* UCX asks epoll_wait() as well, for some of its lanes */
    const unsigned events = progress(worker);
    caller_yields = false;
    after_poll(events > 0);
    return events;
}

static const Yielding *yielding_functions(void)
{
    static const Yielding all[] = {
        {"ucp_worker_progress", ucp_worker_progress}, {"epoll_wait", epoll_wait}, {NULL, NULL}};
    return all;
}
