/* A rank's recording from beginning to end: its files, what they say of the rank, its clock. */
#ifndef RANKWISE_TRACER_SESSION_H
#define RANKWISE_TRACER_SESSION_H

#include "stream.h"

typedef enum { ALL_TIMES, STATISTICS, SUMMARY } Mode; /* SUMMARY: statistics without any order */

/* Reads RANKWISE_TRACE, the folder, and RANKWISE_TRACE_KEEP. NULL: nothing is to be recorded, or
 * cannot be, which has been said. `together`: all ranks are here, so clocks can be compared. */
State *begin_session(bool together, Mode *mode);
/* Everything but the end has been written; the program came to MPI_Finalize at this moment. */
void end_session(int64_t moment);
/* Clocks again, while all ranks still can; also where this one has stopped recording. */
void compare_clocks_at_end(void);

#endif
