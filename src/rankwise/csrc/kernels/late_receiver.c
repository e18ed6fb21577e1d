/* A message whose receiver is late: what it takes him then (o_r of LogP), and whether the sender
 * waits for him (rendezvous) or not (eager). */
#include "kernel.h"
#include <stdlib.h>

static const double LATE_SECONDS = 1e-3, LATE_ROUND_TRIPS = 2;
enum { ROUND_TRIPS = 5 };

static void send(Cell *c)
{
    MPI_Send(c->send, c->count, c->type, c->partner, TAG, c->comm);
}

/* How late he is, on both ranks: beyond the slowest of a few round trips. */
static void setup(Cell *c)
{
    double *late = calloc(1, sizeof *late);
    c->state = late;
    if (!late) {
        fail_cell(c, "not enough memory");
        return;
    }
    *late = LATE_SECONDS;
    for (int i = 0; c->active && i < ROUND_TRIPS; i++) {
        const double begin = MPI_Wtime();
        if (c->leads) {
            send(c);
            MPI_Recv(NULL, 0, MPI_BYTE, c->partner, TAG, c->comm, MPI_STATUS_IGNORE);
        } else {
            receive_from_partner(c);
            MPI_Send(NULL, 0, MPI_BYTE, c->partner, TAG, c->comm);
        }
        const double seconds = LATE_ROUND_TRIPS * (MPI_Wtime() - begin);
        *late = seconds > *late ? seconds : *late;
    }
}

static void teardown(Cell *c)
{
    free(c->state);
}

static void run(Cell *c)
{
    if (c->leads) {
        send(c);
        return;
    }
    const double until = MPI_Wtime() + *(double *)c->state;
    while (MPI_Wtime() < until)
        wait_a_little(c);
    restart_timer(c);
    receive_from_partner(c);
}

KERNEL(receive_overhead) = {
    .category = POINT_TO_POINT,
    .description = "what receiving takes the last rank when it comes late, the message being there",
    .data = &one_way_data,
    .run = run,
    .setup = setup,
    .teardown = teardown,
    .pairing = ENDS,
    .timing = BY_LAST_RANK,
    .moves = 1,
    .min_ranks = 2,
};

KERNEL(late_receiver) = {
    .category = POINT_TO_POINT,
    .description = "how long MPI_Send keeps the first rank when the last one receives late",
    .data = &one_way_data,
    .run = run,
    .setup = setup,
    .teardown = teardown,
    .pairing = ENDS,
    .timing = BY_FIRST_RANK,
    .moves = 1,
    .min_ranks = 2,
};
