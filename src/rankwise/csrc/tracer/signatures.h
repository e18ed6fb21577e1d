/* All that is recorded of a call apart from its times, as a row of numbers; each different row is
 * stored once and has a number. */
#ifndef RANKWISE_TRACER_SIGNATURES_H
#define RANKWISE_TRACER_SIGNATURES_H

#include "stream.h"

enum { LONGEST_SIGNATURE = 2048 };

/* False: no memory. */
bool prepare_signatures(State *state);
/* The number of the row; `guess` is looked at first. */
uint32_t signature_of(const int64_t *row, int length, uint32_t guess);
/* Whether there is no room for another row: `forget_signatures` has to be called first. */
bool signatures_are_full(void);
void forget_signatures(void);

#endif
