/* Calls that make requests, and those that wait for them. */
#ifndef RANKWISE_TRACER_REQUEST_CALLS_H
#define RANKWISE_TRACER_REQUEST_CALLS_H

#include "tracer.h"

/* The slot of the request that this call has made. */
int new_slot(const Traced *call, int communicator, int peer, int tag, int64_t bytes, bool receives);

#endif
