/* The order of a rank's calls, compressed while it is recorded: a list of nodes, each a call or a
 * loop with how often it is repeated; loops are rules of a grammar, and may have loops inside.
 *
 * Where the end of the list is the same nodes twice, the two become a loop. From then on the next
 * call is known in advance, and one that comes as expected only counts up: no search, no memory.
 * As ScalaTrace does (M. Noeth et al., "ScalaTrace: Scalable compression and replay of
 * communication traces for high-performance computing", JPDC 69, 2009), with rules that are stored
 * once as in Sequitur. */
#ifndef RANKWISE_TRACER_STRUCTURE_H
#define RANKWISE_TRACER_STRUCTURE_H

#include "stream.h"

/* False: no memory. */
bool prepare_structure(State *state);

/* The signature of the call that the loop goes on with, or UINT32_MAX. */
uint32_t expected_signature(void);
/* False: could not be written. */
bool append_call(uint32_t signature);
/* Writes everything and forgets all rules. */
bool end_structure(void);
/* Whether `end_structure` has to be called: there is no room for another rule. */
bool structure_is_full(void);

#endif
