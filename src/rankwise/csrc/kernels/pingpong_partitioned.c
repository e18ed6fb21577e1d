/* A ping-pong of messages whose parts are handed over one by one. */
#include "kernel.h"

enum { SENDING, RECEIVING, REQUESTS, MOST_PARTS = 16 };

/* Open MPI 5 takes the extent of a datatype with gaps for the size of its data, and sends a part.
 */
#ifdef OMPI_MAJOR_VERSION
#define PLAIN true
#else
#define PLAIN false
#endif

#if HAS_MPI4
/* As many parts as the elements divide into. */
static int parts_of(const Cell *c)
{
    int parts = 1;
    while (parts < MOST_PARTS && c->count > 0 && c->count % (2 * parts) == 0)
        parts *= 2;
    return parts;
}

/* A message to itself, on all ranks: Open MPI 5 takes all of them for the first request of any, and
 * hangs where a rank has none. */
static void setup(Cell *c)
{
    char out = 0, in;
    MPI_Request requests[REQUESTS];
    MPI_Psend_init(&out, 1, 1, MPI_BYTE, c->rank, TAG + 1, c->comm, MPI_INFO_NULL,
                   &requests[SENDING]);
    MPI_Precv_init(&in, 1, 1, MPI_BYTE, c->rank, TAG + 1, c->comm, MPI_INFO_NULL,
                   &requests[RECEIVING]);
    MPI_Startall(REQUESTS, requests);
    MPI_Pready(0, requests[SENDING]);
    for (int i = 0; i < REQUESTS; i++) {
        MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
        MPI_Request_free(&requests[i]);
    }
}

static int prepare(Cell *c)
{
    const int parts = parts_of(c);
    MPI_Psend_init(c->send, parts, c->count / parts, c->type, c->partner, TAG, c->comm,
                   MPI_INFO_NULL, &c->requests[SENDING]);
    MPI_Precv_init(c->receive, parts, c->count / parts, c->type, c->partner, TAG, c->comm,
                   MPI_INFO_NULL, &c->requests[RECEIVING]);
    return REQUESTS;
}

static void send(Cell *c)
{
    MPI_Start(&c->requests[SENDING]);
    for (int part = 0; part < parts_of(c); part++)
        MPI_Pready(part, c->requests[SENDING]);
    MPI_Wait(&c->requests[SENDING], MPI_STATUS_IGNORE);
}

static void receive(Cell *c)
{
    complete_prepared(c, RECEIVING);
}

static void run(Cell *c)
{
    pass_back_and_forth(c, send, receive);
}
#endif

KERNEL(pingpong_partitioned) = {
    .category = POINT_TO_POINT,
    .description = "ping-pong of messages of up to 16 partitions",
    .data = &both_ways_data,
    .prepare = MPI4_ONLY(prepare),
    .run = MPI4_ONLY(run),
    .setup = MPI4_ONLY(setup),
    .plain_data = PLAIN,
    .unsupported = NEEDS_MPI4,
    .pairing = ENDS,
    .timing = BY_FIRST_RANK,
    .batched = true,
    .messages_per_run = 2,
    .moves = 1,
    .min_ranks = 2,
};
