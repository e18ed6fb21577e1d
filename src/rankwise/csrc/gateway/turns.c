#define _GNU_SOURCE
#include "turns.h"
#include "messages.h"
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <unistd.h>

enum { PROGRESS_MICROSECONDS = 100 };

bool many_threads;
static atomic_ulong next_ticket, served;
static __thread int depth; /* of this thread's turn; 0: it has none */

void take_turn(void)
{
    if (depth++)
        return;
    const unsigned long mine = atomic_fetch_add(&next_ticket, 1);
    while (atomic_load_explicit(&served, memory_order_acquire) != mine)
        sched_yield();
}

void end_turn(void)
{
    if (!--depth)
        atomic_fetch_add_explicit(&served, 1, memory_order_release);
}

int leave_turn(void)
{
    const int had = depth;
    if (had) {
        depth = 1;
        end_turn();
    }
    return had;
}

void resume_turn(int had)
{
    if (had) {
        take_turn();
        depth = had;
    }
}

void allow_threads(AbiTable *table)
{
    many_threads = true;
    wait_without_turn(&below);
    lay_over_in_turns(table);
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
