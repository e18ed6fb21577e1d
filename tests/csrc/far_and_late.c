/* A long link, and a core that comes back too late for every start: linked into the harness, this
 * sched_yield stands before the system's. */
#define _GNU_SOURCE
#include "harness.h"
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { CODE_BYTES = 1024 };
static volatile int repetitions = 1, dozed_in;
static const struct timespec late = {.tv_nsec = 5000000};

static bool is_start(const char *caller)
{
    const char *const code = (const char *)wait_for_start;
    return caller >= code && caller < code + CODE_BYTES;
}

int sched_yield(void)
{
    if (dozed_in != repetitions && is_start(__builtin_return_address(0))) {
        dozed_in = repetitions;
        nanosleep(&late, NULL);
    }
    return (int)syscall(SYS_sched_yield);
}

static void setup(Cell *c)
{
    c->job->usual_slack_seconds = 2e-3; /* as over a link that takes so long one way */
}

static void run(Cell *c)
{
    MPI_Bcast(c->rank == c->root ? c->send : c->receive, c->count, c->type, c->root, c->comm);
    repetitions += c->rank == 1;
}

KERNEL(far_and_late) = {
    .category = COLLECTIVE,
    .description = "bcast over a long link, for which the last rank is always late",
    .data = &broadcast_data,
    .setup = setup,
    .run = run,
};
