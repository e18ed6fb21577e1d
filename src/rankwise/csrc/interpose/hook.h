/* A function of ours that a library calls whenever it makes progress, if it has such a hook. */
#ifndef RANKWISE_HOOK_H
#define RANKWISE_HOOK_H

#include <stdbool.h>

typedef struct {
    int ended; /* operations */
    bool last; /* nothing is left */
} Progressed;

/* Goes on with all that is under way. Sets *asked to false if it was the last turn: at a time when
 * no other thread can begin something and find itself asked for. */
typedef Progressed Turn(bool *asked);

/* Whether this library has one, and, with `several_threads`, one that stands several at once. */
bool has_hook(bool several_threads);

/* From now on the library calls `turn`, at least until that leaves nothing; to be called again for
 * what comes later, always with the same one. */
bool hook_turn(Turn *turn);

#endif
