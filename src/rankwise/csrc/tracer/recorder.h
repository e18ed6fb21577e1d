/* From a row of numbers and two moments to the rank's files. */
#ifndef RANKWISE_TRACER_RECORDER_H
#define RANKWISE_TRACER_RECORDER_H

#include "session.h"
#include "signatures.h"

bool prepare_recorder(State *state, Mode mode);
/* False: could not be written, and recording has to end. */
bool record(const int64_t *row, int length, int64_t entry, int64_t exit);
/* Writes all that is not yet written. */
bool end_recorder(void);

#endif
