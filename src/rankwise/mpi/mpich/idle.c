/* Loaded into MPICH's ranks when there are more of them than cores.
 *
 * Such a rank waits by calling ucp_worker_progress() without end and never gives up the core, so
 * that each message waits for the end of another rank's time slice (milliseconds). Here a rank
 * whose calls find nothing lets the others run: it yields, and now and then sleeps, since a yield
 * alone passes the core to whom the scheduler likes. Messages through MPICH's own shared memory are
 * no events here: hence the new start after a sleep. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sched.h>
#include <time.h>

#define BEFORE_YIELD 2
#define BEFORE_SLEEP 40

unsigned ucp_worker_progress(void *worker); /* of UCX, whose headers need not be here */

unsigned ucp_worker_progress(void *worker)
{
    static unsigned (*progress)(void *);
    static __thread int empty;
    unsigned events;
    if (!progress)
        *(void **)&progress = dlsym(RTLD_NEXT, "ucp_worker_progress");
    events = progress(worker);
    if (events) {
        empty = 0;
    } else if (++empty > BEFORE_SLEEP) {
        struct timespec shortest = {0, 1000};
        nanosleep(&shortest, NULL);
        empty = 0;
    } else if (empty > BEFORE_YIELD) {
        sched_yield();
    }
    return events;
}
