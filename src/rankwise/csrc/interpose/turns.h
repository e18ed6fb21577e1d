/* How a library lets us go on while it waits for something else, if it does. */
#ifndef RANKWISE_TURNS_H
#define RANKWISE_TURNS_H

#include <stdbool.h>

typedef struct {
    int ended; /* operations */
    bool last; /* nothing is left */
} Progressed;

/* Goes on with all that is under way. Sets *asked to false if it was the last turn: at a time when
 * no other thread can begin something and find itself asked for. */
typedef Progressed Turn(bool *asked);

/* Whether this library can call a `Turn` whenever it makes progress. */
bool can_take_turns(void);

/* From now on the library calls `turn`, at least until that leaves nothing; to be called again for
 * what comes later. The caller keeps `turn` from running meanwhile. */
bool ask_for_turns(Turn *turn);

#endif
