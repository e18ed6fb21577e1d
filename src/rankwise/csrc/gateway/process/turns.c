#include "turns.h"
#include <sched.h>
#include <stdatomic.h>

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
