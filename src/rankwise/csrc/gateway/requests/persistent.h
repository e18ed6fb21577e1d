/* Requests that are started again and again. */
#ifndef PERSISTENT_H
#define PERSISTENT_H

#include "call_tags.h"
#include "request.h"
#include <stddef.h>

/* Makes the call that is to be started. An error code. */
typedef int Begin(Joined *joined, const void *arguments, CallTags *tags, MPI_Request *request);

/* What the program may free or drop once it has made the request: copies of arrays, and handles
 * that are held. */
enum { MOST_KEPT = 6 };
typedef struct {
    int count;
    struct {
        void *copy;
        int types; /* that are in it, and held */
    } arrays[MOST_KEPT];
    int types;
    MPI_Datatype type[2];
    MPI_Op op; /* if `holds_op` */
    bool holds_op;
    bool failed; /* there was no memory for one */
} Kept;

/* A copy that lives as long as the request. NULL: there was none, or it is not needed. */
void *keep_array(Kept *kept, bool needed, const void *array, int elements, size_t element_bytes);
MPI_Datatype *keep_types(Kept *kept, bool needed, const MPI_Datatype *types, int count);

/* The handle, which is held as long as the request lives. */
MPI_Datatype keep_type(Kept *kept, MPI_Datatype type);
MPI_Op keep_op(Kept *kept, MPI_Op op);

/* A request that begins this call each time it is started; the arguments are copied. A collective
 * one has its tags from now on, so that it is started in any order. An error code. */
int plan_call(Joined *joined, Begin *begin, const void *arguments, size_t bytes, const Kept *kept,
              bool is_collective, MPI_Request *request);

/* As MPI_Start. */
int start(MPI_Request *request);

#endif
