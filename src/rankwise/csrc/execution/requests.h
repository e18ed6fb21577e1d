/* The messages of an execution that are under way. */
#ifndef RANKWISE_REQUESTS_H
#define RANKWISE_REQUESTS_H

#include <mpi.h>
#include <stdbool.h>

typedef struct {
    int count, room;
    MPI_Request *requests; /* shape (count), as `owners` */
    int *owners;           /* the steps that they belong to */
    MPI_Status *statuses;  /* for MPI, as `indices` */
    int *indices;
} Requests;

/* Room for one more; false: there is no memory. */
bool room_for_request(Requests *r);

/* Some end, and become MPI_REQUEST_NULL; with `waits` at least one. Returns an MPI error code, and
 * in *ended how many have. */
int end_some(Requests *r, bool waits, int *ended);

void free_requests(Requests *r);

#endif
