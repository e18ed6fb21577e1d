#define _GNU_SOURCE
#include "hook.h"
#include <dlfcn.h>
#include <mpi.h>
#include <stddef.h>

static Turn *registered;

/* Open MPI: its progress engine calls whoever has registered. */
typedef int Progress(void);
typedef int Register(Progress *);

static int progress(void)
{
    bool asked = true;
    return registered(&asked).ended;
}

static Register *registration(void)
{
    static Register *found;
    static bool looked;
    if (!looked)
        *(void **)&found = dlsym(RTLD_DEFAULT, "opal_progress_register");
    looked = true;
    return found;
}

static bool register_turn(Turn *turn)
{
    if (registered)
        return true;
    registered = turn;
    return registration()(progress) == 0;
}

/* MPICH from 4.2 on: an extension for just this. Among several threads it holds a lock meanwhile
 * that our own messages would ask for again. */
#if defined(MPICH_NUMVERSION) && MPICH_NUMVERSION >= 40200000
static const bool can_be_polled = true;
static bool asked;

static int poll_turn(MPIX_Async_thing thing)
{
    (void)thing;
    return registered(&asked).last ? MPIX_ASYNC_DONE : MPIX_ASYNC_NOPROGRESS;
}

static bool poll(Turn *turn)
{
    if (asked)
        return true;
    asked = true;
    registered = turn;
    return PMPIX_Async_start(poll_turn, NULL, MPIX_STREAM_NULL) == MPI_SUCCESS;
}
#else
static const bool can_be_polled = false;

static bool poll(Turn *turn)
{
    (void)turn;
    return false;
}
#endif

bool has_hook(bool several_threads)
{
    return registration() || (can_be_polled && !several_threads);
}

bool hook_turn(Turn *turn)
{
    return registration() ? register_turn(turn) : poll(turn);
}
