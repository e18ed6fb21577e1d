/* One call of a collective operation, as a schedule carries it out. */
#ifndef RANKWISE_CALL_H
#define RANKWISE_CALL_H

#include "../schedules/schedule.h"
#include <mpi.h>

/* Where the schedule's elements are. Input and output are of `type`, one element after another by
 * its extent; they may overlap only where MPI_IN_PLACE would have them do. */
typedef struct {
    const void *input;
    void *output;
    MPI_Datatype type;
    MPI_Op op; /* MPI_OP_NULL where nothing is reduced */
    MPI_Comm comm;
    int first_tag; /* tags first_tag ... first_tag + schedule->tags - 1 of `comm` are its own */
} Call;

#endif
