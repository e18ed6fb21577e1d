/* Communicators as a trace names them: a number for each group of processes, and for each further
 * communicator of the same group that lives at the same time. So a program that makes and frees one
 * again and again repeats itself, and all ranks that are in it can be told to mean the same. */
#ifndef RANKWISE_TRACER_COMMUNICATORS_H
#define RANKWISE_TRACER_COMMUNICATORS_H

#include "stream.h"
#include <mpi.h>

typedef struct {
    MPI_Comm comm;
    int number, rank; /* -1: MPI_COMM_NULL or unknown */
    int size;         /* of the group that its messages go to */
    bool inter;
} Known;

bool prepare_communicators(State *state);
const Known *known(MPI_Comm comm);
void forget(MPI_Comm comm);

#endif
