/* Requests that are started again and again. */
#ifndef PERSISTENT_H
#define PERSISTENT_H

#include "matching.h"
#include <stddef.h>

/* Makes the call that is to be started. An error code. */
typedef int Begin(const void *arguments, MPI_Request *request);

/* Arrays that the program may drop once it has made the request. */
enum { MOST_KEPT = 6 };
typedef struct {
    int count;
    void *arrays[MOST_KEPT];
    bool failed; /* there was no memory for one */
} Kept;

/* A copy that lives as long as the request. NULL: there was none, or it is not needed. */
void *keep_array(Kept *kept, bool needed, const void *array, int elements, size_t element_bytes);

/* A request that begins this call each time it is started; the arguments are copied. An error
 * code. */
int plan_call(Joined *joined, Begin *begin, const void *arguments, size_t bytes, const Kept *kept,
              MPI_Request *request);
/* What is to end where this one is waited for: of ours that are persistent, what was begun. */
MPI_Request *under_way(MPI_Request *request);

bool is_active(const Request *request);
int look_at_persistent(Request *request, int *ended, MPI_Status *status);
int peek_persistent(Request *request, int *ended, MPI_Status *status);
int cancel_persistent(Request *request);
int free_persistent(Request *request);

#endif
