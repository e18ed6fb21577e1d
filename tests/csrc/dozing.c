/* A core that is given up just before the start and comes back too late, in every fourth
 * repetition: linked into the harness, this sched_yield stands before the system's. */
#define _GNU_SOURCE
#include "harness.h"
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { EVERY = 4, CODE_BYTES = 1024 };
static volatile int repetitions, dozed_in = -1;
static const struct timespec late = {.tv_nsec = 50000000};

static bool is_start(const char *caller)
{
    const char *const code = (const char *)wait_for_start;
    return caller >= code && caller < code + CODE_BYTES;
}

int sched_yield(void)
{
    if (repetitions % EVERY == EVERY - 1 && dozed_in != repetitions &&
        is_start(__builtin_return_address(0))) {
        dozed_in = repetitions;
        nanosleep(&late, NULL);
    }
    return (int)syscall(SYS_sched_yield);
}

static void run(Cell *c)
{
    MPI_Bcast(c->rank == c->root ? c->send : c->receive, c->count, c->type, c->root, c->comm);
    if (c->rank != 1)
        return;
    if (dozed_in == repetitions)
        nanosleep(&late, NULL); /* a sample that is kept in spite of it can be told */
    repetitions++;
}

KERNEL(dozing) = {
    .category = COLLECTIVE,
    .description = "bcast before which the last rank oversleeps now and then",
    .data = &broadcast_data,
    .run = run,
};
