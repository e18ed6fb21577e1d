/* The turns that what is under way needs. */
#include "batch.h"
#include "calls.h"
#include "collectives.h"
#include "gateway.h"
#include "messages.h"
#include "turns.h"
#include <sched.h>

/* Turns without anything, before the library has one, and before the core is offered to others:
 * soon, since where ranks share cores each of them keeps it from one that has something to do. */
enum { OWN_TURNS = 4, PATIENCE = 4 };

/* The library has sends of this site to go on with, too, which nobody waits for now. */
static void nudge(void)
{
    int there;
    below.Iprobe(MPI_ANY_SOURCE, world.tag_bound, joined_of(MPI_COMM_WORLD)->own, &there,
                 MPI_STATUS_IGNORE);
}

void progress(void)
{
    static bool busy;
    static int idle;
    if (busy)
        return; /* a collective operation, which has its turn now, waits for its messages */
    busy = true;
    bool moved = progress_wire();
    moved |= progress_local();
    moved |= progress_collectives();
    moved |= progress_batches();
    busy = false;
    idle = moved ? 0 : idle + 1;
    if (idle % OWN_TURNS == OWN_TURNS - 1)
        nudge();
    if (many_threads)
        resume_turn(leave_turn()); /* others have theirs */
    if (idle > PATIENCE)
        sched_yield();
}
