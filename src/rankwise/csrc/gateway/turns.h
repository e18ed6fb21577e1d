/* Several threads of a process take turns in the gateway, one at a time and in the order in which
 * they come. Whoever waits there lets others have theirs meanwhile: between looks at what has
 * come (progress), and in calls of the library that may wait. */
#ifndef TURNS_H
#define TURNS_H

#include "gateway.h"
#include <stdbool.h>

extern bool many_threads; /* call at once: MPI_THREAD_MULTIPLE; else nothing here is needed */

/* A turn may be within one of the same thread, as in a function of the program's that MPI calls. */
void take_turn(void);
void end_turn(void);

/* All of this thread's turn, and it again. */
int leave_turn(void);
void resume_turn(int depth);

/* From now on threads may call at once; `table` has what the program calls. */
void allow_threads(AbiTable *table);

/* A thread that has a turn ten thousand times a second, so that messages make progress while the
 * program computes. */
void start_progress(void);
void stop_progress(void);

/* Generated: functions that take a turn, and the library's that may wait without one. */
void lay_over_in_turns(AbiTable *table);
void wait_without_turn(AbiTable *below);

#endif
