/* One collective operation of the program, described as the problem that a schedule solves. */
#ifndef RANKWISE_REPLACING_H
#define RANKWISE_REPLACING_H

#include "collective.h"
#include "communicator.h"

/* The error class that the library would have for wrong arguments, as far as we look; MPI_SUCCESS:
 * nothing looks wrong. */
int check_arguments(const Collective *call, const Communicator *communicator);

/* What the rule is chosen by, and the problem but for the algorithm's parameters. Some counts of
 * v-variants are made, for `release_problem`. False: there is no memory. */
bool describe(const Collective *call, const Communicator *communicator, Question *question,
              Problem *problem);

/* Lets all ranks know the counts of all: collective over communicator->own. An MPI error code. */
int share_counts(const Communicator *communicator, Problem *problem);

void release_problem(Problem *problem);

#endif
