#define _GNU_SOURCE
#include "turns.h"
#include "overlay.h"
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <time.h>

/* Open MPI: its progress engine calls whoever has registered. */
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

static bool register_turn(Turn *turn)
{
    if (registered)
        return true;
    registered = turn;
    return registration()(progress) == 0;
}

/* MPICH from 4.2 on: an extension for just this. Among several threads it holds a lock meanwhile
 * that our own messages would ask for again. */
static bool asked;

#if defined(MPICH_NUMVERSION) && MPICH_NUMVERSION >= 40200000
static const bool can_be_polled = true;

static int poll_turn(MPIX_Async_thing thing)
{
    Turn *turn = (Turn *)PMPIX_Async_get_state(thing);
    return turn(&asked).last ? MPIX_ASYNC_DONE : MPIX_ASYNC_NOPROGRESS;
}

static bool poll(Turn *turn)
{
    if (asked)
        return true;
    asked = true;
    return PMPIX_Async_start(poll_turn, (void *)turn, MPIX_STREAM_NULL) == MPI_SUCCESS;
}
#else
static const bool can_be_polled = false;

static bool poll(Turn *turn)
{
    (void)turn;
    return false;
}
#endif

/* Any other library that allows several threads: one of ours, which rests while nothing is under
 * way. Not Intel MPI, whose waiting thread keeps the library's lock for milliseconds. */
enum { BUSY_TURNS = 1000, PAUSE_NANOSECONDS = 10000 };
static pthread_mutex_t waking = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t awake = PTHREAD_COND_INITIALIZER;
static long wanted; /* times that a turn was asked for */

static void take_all(Turn *turn)
{
    static const struct timespec pause = {0, PAUSE_NANOSECONDS};
    bool unused = true;
    for (int idle = 0;; idle++) {
        const Progressed now = turn(&unused);
        if (now.last)
            return;
        if (now.ended)
            idle = 0;
        if (idle < BUSY_TURNS)
            sched_yield();
        else
            nanosleep(&pause, NULL);
    }
}

static void *run_thread(void *state)
{
    long seen = 0;
    inside = 1;
    for (;;) {
        pthread_mutex_lock(&waking);
        while (seen == wanted)
            pthread_cond_wait(&awake, &waking);
        seen = wanted;
        pthread_mutex_unlock(&waking);
        take_all((Turn *)state);
    }
    return NULL;
}

static bool wake_thread(Turn *turn)
{
    static bool running;
    pthread_t thread;
    pthread_mutex_lock(&waking);
    if (!running)
        running = pthread_create(&thread, NULL, run_thread, (void *)turn) == 0;
    wanted++;
    pthread_cond_signal(&awake);
    pthread_mutex_unlock(&waking);
    return running;
}

static bool several_threads(void)
{
#ifdef I_MPI_NUMVERSION
    return false;
#endif
    int level = MPI_THREAD_SINGLE;
    return PMPI_Query_thread(&level) == MPI_SUCCESS && level == MPI_THREAD_MULTIPLE;
}

bool can_take_turns(void)
{
    return registration() || can_be_polled || several_threads();
}

bool ask_for_turns(Turn *turn)
{
    if (registration())
        return register_turn(turn);
    return several_threads() ? wake_thread(turn) : poll(turn);
}
