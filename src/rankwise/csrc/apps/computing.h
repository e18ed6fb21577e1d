/* Computation that can be left out: a run that measures how long its phases compute gives the times
 * with which another one waits instead, and sends the same messages on a network that is emulated
 * on few cores.
 *
 *     COMPUTE(run, 0) { ... }      where no message depends on what is computed
 */
#ifndef RANKWISE_APPS_COMPUTING_H
#define RANKWISE_APPS_COMPUTING_H

#include <stdbool.h>

enum { MAX_PHASES = 8 };

typedef struct {
    bool skipped;               /* wait `seconds` in place of every phase */
    double seconds[MAX_PHASES]; /* of a phase, on the average */
    double spent[MAX_PHASES];   /* processor time */
    long count[MAX_PHASES];
    double begun, owed; /* waiting that was too short to be slept by itself */
} Computing;

/* Whether the phase is to be computed; if not, its time has been waited. */
bool phase_begins(Computing *computing, int phase);
void phase_ends(Computing *computing, int phase);
/* Waits as long as something would compute, and leaves the core to the other ranks meanwhile. */
void wait_for(Computing *computing, double seconds);

#define COMPUTE(RUN, PHASE)                                                                        \
    for (bool computes_ = phase_begins(&(RUN)->computing, PHASE); computes_;                       \
         computes_ = (phase_ends(&(RUN)->computing, PHASE), false))

#endif
