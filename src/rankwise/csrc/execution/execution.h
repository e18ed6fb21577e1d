/* Carries out one rank's schedule over any MPI's point-to-point messages. All calls are PMPI_, so
 * that it also serves libraries that stand between a program and its MPI. */
#ifndef RANKWISE_EXECUTION_H
#define RANKWISE_EXECUTION_H

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

typedef struct Execution Execution;

/* Posts what waits for nothing. The schedule is only read and must outlive the execution. Returns
 * an MPI error code; on an error *execution is NULL. */
int begin_execution(Execution **execution, const Schedule *schedule, const Call *call);

/* Goes on as far as it can without waiting. *done: nothing is left to be done. */
int test_execution(Execution *execution, int *done);

/* Waits until all is done. */
int wait_execution(Execution *execution);

/* To be called once it is done, or after an error. */
void free_execution(Execution *execution);

/* Begin, wait and free. `memory` keeps scratch memory and requests from one call to the next, if
 * given: a pointer that is NULL at first; free_memory ends it. */
typedef struct ExecutionMemory ExecutionMemory;
int execute(const Schedule *schedule, const Call *call, ExecutionMemory **memory);
void free_memory(ExecutionMemory *memory);

#endif
