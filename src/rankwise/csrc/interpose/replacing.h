/* One collective operation of the program, described as the problem that a schedule solves. */
#ifndef RANKWISE_REPLACING_H
#define RANKWISE_REPLACING_H

#include "communicator.h"
#include "overlay.h"

/* Whether the arguments are such that the library would not refuse them, as far as we look. What
 * looks wrong is the library's, whose error it is. */
bool plausible(const Collective *call, const Communicator *communicator);

/* What the rule is chosen by, and the problem but for the algorithm's parameters. Some counts of
 * v-variants are made, for `release_problem`. False: too long, or the library would refuse it. */
bool describe(const Collective *call, const Communicator *communicator, Question *question,
              Problem *problem);

/* Lets all ranks know the counts of all: collective over communicator->own. An MPI error code. */
int share_counts(const Communicator *communicator, Problem *problem);

void release_problem(Problem *problem);

#endif
