#define _GNU_SOURCE
#include "turns.h"
#include "passing.h"
#include <pthread.h>
#include <sched.h>
#include <time.h>

/* Any other library that allows several threads: one of ours, which rests while nothing is under
 * way. Not Intel MPI, whose waiting thread keeps the library's lock for milliseconds. */
enum { BUSY_TURNS = 1000, PAUSE_NANOSECONDS = 10000 };
static pthread_mutex_t waking = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t awake = PTHREAD_COND_INITIALIZER;
static long wanted; /* times that a turn was asked for */
static Turn *one_turn;

static void take_all(void)
{
    static const struct timespec pause = {0, PAUSE_NANOSECONDS};
    bool unused = true;
    for (int idle = 0;; idle++) {
        const Progressed now = one_turn(&unused);
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

static void *run_thread(void *nothing)
{
    long seen = 0;
    inside = 1;
    for (;;) {
        pthread_mutex_lock(&waking);
        while (seen == wanted)
            pthread_cond_wait(&awake, &waking);
        seen = wanted;
        pthread_mutex_unlock(&waking);
        take_all();
    }
    return nothing;
}

static bool wake_thread(Turn *turn)
{
    static bool running;
    pthread_t thread;
    pthread_mutex_lock(&waking);
    one_turn = turn;
    if (!running)
        running = pthread_create(&thread, NULL, run_thread, NULL) == 0;
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
    return has_hook(false) || several_threads();
}

bool ask_for_turns(Turn *turn)
{
    const bool several = several_threads();
    if (has_hook(several))
        return hook_turn(turn);
    return several && wake_thread(turn);
}
