/* Nonblocking operations: generalized requests, and a turn whenever the library makes progress. */
#ifndef RANKWISE_NONBLOCKING_H
#define RANKWISE_NONBLOCKING_H

#include "communicator.h"
#include "data.h"

/* Begins `schedule` and makes *request its handle. Takes over `data`, and `fresh`, which is the
 * schedule if `kept` is NULL. Returns an MPI error code; on an error all of it is freed. */
int begin_operation(Data *data, Schedule *fresh, KeptSchedule *kept, const Call *call,
                    MPI_Request *request);

#endif
