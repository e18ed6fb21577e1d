/* Requests that are started again and again. */
#ifndef PERSISTENT_H
#define PERSISTENT_H

#include "matching.h"

bool is_active(const Request *request);
int look_at_persistent(Request *request, int *ended, MPI_Status *status);
int peek_persistent(Request *request, int *ended, MPI_Status *status);
int cancel_persistent(Request *request);
int free_persistent(Request *request);

#endif
