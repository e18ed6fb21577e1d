/* A message to a receiver who is late: what two benchmarks have in common, of which one times the
 * receiver and one the sender. */
#include "kernel.h"
#include <stdlib.h>

static const double LATE_SECONDS = 1e-3, LATE_ROUND_TRIPS = 2;
enum { ROUND_TRIPS = 5 };

static void send(Cell *c)
{
    MPI_Send(c->send, c->count, c->type, c->partner, TAG, c->comm);
}

/* How late he is, on both ranks: beyond the slowest of a few round trips. */
void set_up_late_receiver(Cell *c)
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

void tear_down_late_receiver(Cell *c)
{
    free(c->state);
}

void send_to_late_receiver(Cell *c)
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
