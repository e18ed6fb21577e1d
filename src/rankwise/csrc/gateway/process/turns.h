/* Several threads of a process take turns in the gateway, one at a time and in the order in which
 * they come. Whoever waits there lets others have theirs meanwhile: between looks at what has
 * come (progress), and in calls of the library that may wait. */
#ifndef TURNS_H
#define TURNS_H

#include <stdbool.h>

extern bool many_threads; /* call at once: MPI_THREAD_MULTIPLE; else nothing here is needed */

/* A turn may be within one of the same thread, as in a function of the program's that MPI calls. */
void take_turn(void);
void end_turn(void);

/* All of this thread's turn, and it again. */
int leave_turn(void);
void resume_turn(int depth);

#endif
