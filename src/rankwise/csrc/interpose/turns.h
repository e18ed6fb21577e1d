/* How a library lets us go on while it waits for something else, if it does. */
#ifndef RANKWISE_TURNS_H
#define RANKWISE_TURNS_H

#include "hook.h"

/* Whether this library can call a `Turn` whenever it makes progress. */
bool can_take_turns(void);

/* From now on the library calls `turn`, at least until that leaves nothing; to be called again for
 * what comes later. The caller keeps `turn` from running meanwhile. */
bool ask_for_turns(Turn *turn);

#endif
