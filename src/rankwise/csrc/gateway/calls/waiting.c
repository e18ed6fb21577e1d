#include "waiting.h"
#include "messages.h"
#include "progress.h"
#include "turns.h"
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

enum { STEP_MICROSECONDS = 100 };

AbiTable library;
Hook *library_hook;

static bool under_way(void)
{
    return outstanding || to_send;
}

bool takes_turns(void)
{
    return world.started && under_way();
}

int end_by_turns(MPI_Request *request, MPI_Status *status)
{
    int ended = 0, code = MPI_SUCCESS;
    while (!ended && code == MPI_SUCCESS) {
        code = library.Test(request, &ended, status);
        if (!ended)
            progress();
    }
    return code;
}

static bool has_hook_below(void)
{
    static int has = -1;
    if (has < 0)
        has = library_hook && library_hook(NULL);
    return has;
}

static bool by_hook(void)
{
    return !many_threads && has_hook_below();
}

bool ranks_meet(bool makes_communicators)
{
    if (!world.started || world.old_library)
        return false;
    return many_threads ? makes_communicators : !has_hook_below();
}

int meet_in_site(MPI_Comm comm)
{
    MPI_Request request;
    if (comm == MPI_COMM_NULL)
        return MPI_SUCCESS;
    const int code = library.Ibarrier(comm, &request);
    return code == MPI_SUCCESS ? end_by_turns(&request, MPI_STATUS_IGNORE) : code;
}

/* Waits in the library in which its hook takes turns. */
static int hooked;

static Progressed take_hooked_turn(bool *asked)
{
    static bool busy;
    Progressed result = {0};
    if (busy) /* our own messages make progress too, and so come here again */
        return result;
    busy = true;
    if (hooked && under_way())
        progress();
    busy = false;
    result.last = !hooked || !under_way();
    if (result.last)
        *asked = false;
    return result;
}

/* The thread sees to messages while others wait in the library. */
static atomic_int waiting;
static pthread_mutex_t seeing = PTHREAD_MUTEX_INITIALIZER;

static void *see_to_messages(void *nothing)
{
    for (;; usleep(STEP_MICROSECONDS)) {
        if (!atomic_load(&waiting))
            continue;
        if (many_threads) {
            take_turn();
            if (under_way())
                progress();
            end_turn();
        } else {
            pthread_mutex_lock(&seeing);
            if (atomic_load(&waiting))
                progress_wire();
            pthread_mutex_unlock(&seeing);
        }
    }
    return nothing;
}

static void start_thread(void)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, see_to_messages, NULL) != 0)
        stop("cannot start the thread that makes progress on messages");
    pthread_detach(thread);
}

Waits begin_wait(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    const bool sees_to = world.started && (many_threads || under_way());
    if (sees_to && by_hook()) {
        hooked++;
        library_hook(take_hooked_turn);
    } else if (sees_to) {
        pthread_once(&once, start_thread);
        atomic_fetch_add(&waiting, 1);
    }
    return (Waits){leave_turn(), sees_to};
}

void end_wait(Waits waits)
{
    if (waits.seen_to && by_hook())
        hooked--;
    else if (waits.seen_to)
        atomic_fetch_sub(&waiting, 1);
    if (waits.seen_to && !by_hook() && !many_threads) { /* not while the thread is at it */
        pthread_mutex_lock(&seeing);
        pthread_mutex_unlock(&seeing);
    }
    resume_turn(waits.depth);
}
