/* Carries out one rank's schedule over any MPI's point-to-point messages. All calls are PMPI_, so
 * that it also serves libraries that stand between a program and its MPI. No state but in what it
 * returns: several executions can be under way at once, in one thread or in several. */
#ifndef RANKWISE_EXECUTION_H
#define RANKWISE_EXECUTION_H

#include "call.h"

typedef struct Execution Execution;

/* Posts what waits for nothing. The schedule is only read and must outlive the execution. Returns
 * an MPI error code, as all functions here: MPI_ERR_OP for a reduction that an MPI without
 * MPI_Reduce_local cannot do (local_reduction.c). On an error *execution is NULL. */
int begin_execution(Execution **execution, const Schedule *schedule, const Call *call);

/* The same schedule once more, when it is done: what was made for it is used again. */
int begin_again(Execution *execution, const Call *call);

/* Goes on as far as it can without waiting. *done: nothing is left to be done. */
int test_execution(Execution *execution, int *done);

/* Waits until all is done. */
int wait_execution(Execution *execution);

/* To be called once it is done, or after an error: that has ended its requests. NULL is ignored. */
void free_execution(Execution *execution);

/* Begin and wait. `memory` keeps what was made from one call to the next with the same schedule: a
 * pointer that is NULL at first and ends with free_execution; NULL: nothing is kept. */
int execute(const Schedule *schedule, const Call *call, Execution **memory);

#endif
