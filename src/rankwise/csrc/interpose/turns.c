#define _GNU_SOURCE
#include "turns.h"
#include <dlfcn.h>
#include <mpi.h>
#include <stddef.h>

#ifdef OPEN_MPI /* its progress engine calls whoever has registered */

typedef int Progress(void);
typedef int Register(Progress *);

static Turn *registered;

static int progress(void)
{
    bool asked = true;
    return registered(&asked).ended;
}

static Register *registration(void)
{
    static Register *found;
    if (!found)
        *(void **)&found = dlsym(RTLD_DEFAULT, "opal_progress_register");
    return found;
}

bool can_take_turns(void)
{
    return registration() != NULL;
}

bool ask_for_turns(Turn *turn)
{
    if (registered)
        return true;
    registered = turn;
    return registration()(progress) == 0;
}

#elif defined(MPICH_NUMVERSION) && MPICH_NUMVERSION >= 40200000 /* its extension for just this */

static bool asked;

static int poll_turn(MPIX_Async_thing thing)
{
    Turn *turn = (Turn *)PMPIX_Async_get_state(thing);
    return turn(&asked).last ? MPIX_ASYNC_DONE : MPIX_ASYNC_NOPROGRESS;
}

bool can_take_turns(void)
{
    return true;
}

bool ask_for_turns(Turn *turn)
{
    if (asked)
        return true;
    asked = true;
    return PMPIX_Async_start(poll_turn, (void *)turn, MPIX_STREAM_NULL) == MPI_SUCCESS;
}

#else

bool can_take_turns(void)
{
    return false;
}

bool ask_for_turns(Turn *turn)
{
    (void)turn;
    return false;
}

#endif
