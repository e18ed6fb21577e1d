#define _GNU_SOURCE
#include "progress.h"
#include "gateway.h"
#include "turns.h"
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <unistd.h>

/* Turns without anything, before those who look when nothing goes on, and before the core is
 * offered to others: soon, since where ranks share cores each of them keeps it from one that has
 * something to do. */
enum { OWN_TURNS = 4, PATIENCE = 4, MOST_POLLERS = 8, PROGRESS_MICROSECONDS = 100 };

static Poller *pollers[MOST_POLLERS];
static int poller_count;
static void (*idle_look)(void);

void add_poller(Poller *poller)
{
    if (poller_count == MOST_POLLERS)
        stop("too many parts of the gateway have turns");
    pollers[poller_count++] = poller;
}

void add_idle_look(void (*look)(void))
{
    idle_look = look;
}

void progress(void)
{
    static bool busy;
    static int idle;
    if (busy)
        return; /* a collective operation, which has its turn now, waits for its messages */
    busy = true;
    bool moved = false;
    for (int i = 0; i < poller_count; i++)
        moved |= pollers[i]();
    busy = false;
    idle = moved ? 0 : idle + 1;
    if (idle % OWN_TURNS == OWN_TURNS - 1 && idle_look)
        idle_look();
    if (many_threads)
        resume_turn(leave_turn()); /* others have theirs */
    if (idle > PATIENCE)
        sched_yield();
}

static pthread_t thread;
static atomic_bool running;

static void *make_progress(void *nothing)
{
    while (atomic_load(&running)) {
        take_turn();
        progress();
        end_turn();
        usleep(PROGRESS_MICROSECONDS);
    }
    return nothing;
}

void start_progress(void)
{
    atomic_store(&running, true);
    if (pthread_create(&thread, NULL, make_progress, NULL) != 0)
        stop("cannot start the thread that makes progress on messages");
}

void stop_progress(void)
{
    if (!atomic_exchange(&running, false))
        return;
    const int had = leave_turn();
    pthread_join(thread, NULL);
    resume_turn(had);
}
