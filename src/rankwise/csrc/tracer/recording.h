/* Whether calls are recorded, and where what is known of one goes. */
#ifndef RANKWISE_TRACER_RECORDING_H
#define RANKWISE_TRACER_RECORDING_H

#include "stream.h"
#include "tracer.h"

/* Of this rank; NULL before it begins. */
State *recorded_state(void);
/* Around all that is kept of calls, where several threads may call. */
void lock(void);
void unlock(void);
/* Nothing is recorded any more. */
void stop(void);
/* MPI_Pcontrol's 0 and 1. */
void pause_recording(void);
void go_on_recording(void);
void write_row(const int64_t *row, int length, int64_t entry, int64_t exit);
/* Every `note_` function ends with this: writes the row and opens what `lock` closed. */
void done(const Traced *call, int code, const int64_t *row, int length);

#endif
