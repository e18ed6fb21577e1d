/* Lets other ranks have the core where this one only waits, for there are more of them than cores.
 *
 * A rank that polls without end never gives up the core, so that each message waits for the end of
 * another rank's time slice (milliseconds). One whose polls find nothing yields, and now and then
 * sleeps, since a yield alone passes the core to whom the scheduler likes. Messages through an
 * MPI's own shared memory are no events for what is polled: hence the new start after a sleep. */
#ifndef RANKWISE_IDLE_H
#define RANKWISE_IDLE_H

#include "called_functions.h"
#include <dlfcn.h>
#include <sched.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>

/* After each poll. */
static void after_poll(bool found)
{
    enum { BEFORE_YIELD = 2, BEFORE_SLEEP = 40 };
    static __thread int empty;
    if (found) {
        empty = 0;
    } else if (++empty > BEFORE_SLEEP) {
        const struct timespec shortest = {0, 1000};
        nanosleep(&shortest, NULL);
        empty = 0;
    } else if (empty > BEFORE_YIELD) {
        sched_yield();
    }
}

typedef struct {
    const char *name;
    void *own;
} Yielding;

/* Those of this library, up to one without a name. */
static const Yielding *yielding_functions(void);

static void *yielding(const char *name, const void *context)
{
    for (const Yielding *one = context; one->name; one++)
        if (strcmp(one->name, name) == 0)
            return one->own;
    return NULL;
}

static int lead_here(struct dl_phdr_info *info, size_t bytes, void *functions)
{
    (void)bytes;
    Dl_info own;
    if (dladdr(yielding_functions, &own) && (ElfW(Addr))own.dli_fbase != info->dlpi_addr)
        exchange_called(info, yielding, functions);
    return 0;
}

/* Preloading alone reaches no library that looks for symbols in itself and in what it needs first
 * (RTLD_DEEPBIND), as an MPI below the standard ABI does: csrc/abi/backend/entry.c calls this for
 * each one that was loaded. */
void rankwise_yield_everywhere(void)
{
    dl_iterate_phdr(lead_here, (void *)yielding_functions());
}

#endif
