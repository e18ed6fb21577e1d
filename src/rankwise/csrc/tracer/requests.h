/* Requests under way: a request's slot is the lowest number that is free when it is made, so that a
 * loop uses the same slots each time. */
#ifndef RANKWISE_TRACER_REQUESTS_H
#define RANKWISE_TRACER_REQUESTS_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct {
    MPI_Request handle;
    int next; /* in its bucket, in the order in which they were made */
    int function, communicator, peer, tag;
    int64_t bytes;
    bool used, persistent, active, receives;
} Request;

/* -1: no memory, nothing is kept of it. */
int add_request(const Request *request);
/* The oldest slot of this handle, or -1: libraries give one handle to several sends that are over
 * when they are begun. With `taken`, slots that were marked so are passed over. */
int find_request(MPI_Request handle, const bool *taken);
Request *request_in(int slot);
void remove_request(int slot);
int request_room(void); /* slots are below it */

#endif
