/* The turns that what is under way needs. */
#ifndef PROGRESS_H
#define PROGRESS_H

#include <stdbool.h>

/* Goes on with what it knows of: whether anything came of that. */
typedef bool Poller(void);

/* Who has something that can go on says so once; they have their turns in this order. */
void add_poller(Poller *poller);

/* Looks after what nobody waits for, where nothing has gone on of late. */
void add_idle_look(void (*look)(void));

/* All that can go on does. */
void progress(void);

/* A thread that has a turn ten thousand times a second, so that messages make progress while the
 * program computes. */
void start_progress(void);
void stop_progress(void);

#endif
