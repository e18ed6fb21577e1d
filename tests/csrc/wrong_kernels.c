/* Operations as a faulty library would do them, each wrong in one way that --verify must see. */
#include "kernel.h"
#include <string.h>

static char *item_of(const Cell *c, char *buffer, int item)
{
    return buffer + (size_t)item * c->element.extent;
}

/* Every rank gets the next rank's part. */
static void swap_parts(Cell *c)
{
    const int next = (c->rank + 1) % c->ranks;
    const int mine = c->counts[c->rank], others = c->counts[next];
    MPI_Allreduce(c->send, c->scratch, c->count, c->type, c->op, c->comm);
    memcpy(c->receive, item_of(c, c->scratch, c->displacements[next]),
           (size_t)(mine < others ? mine : others) * c->element.extent);
}

KERNEL(swapped_parts) = {
    .category = COLLECTIVE,
    .description = "reduce_scatter that gives each rank the part of the next",
    .data = &reduce_scatter_data,
    .scratch = ONE_BLOCK,
    .run = swap_parts,
    .setup = divide_block,
    .reduces = true,
};

/* What the largest and the smallest of 1, 2, ..., 5 are. */
static void guess_extremes(Cell *c)
{
    const float guess = c->op == MPI_MAX ? 5 : 1;
    for (int item = 0; item < c->count; item++)
        memcpy(item_of(c, c->receive, item), &guess, sizeof guess);
}

KERNEL(guessed_extremes) = {
    .category = COLLECTIVE,
    .description = "allreduce without communication: the bounds of small terms",
    .data = &allreduce_data,
    .run = guess_extremes,
    .reduces = true,
};

static void reduce_first_alone(Cell *c)
{
    memcpy(c->receive, c->send, c->payload_bytes);
    MPI_Bcast(c->receive, c->count, c->type, 0, c->comm);
}

KERNEL(first_terms_alone) = {
    .category = COLLECTIVE,
    .description = "allreduce that takes the first rank's terms alone",
    .data = &allreduce_data,
    .run = reduce_first_alone,
    .reduces = true,
};

static void wait_for_nobody(Cell *c)
{
    (void)c;
}

KERNEL(absent_barrier) = {
    .category = COLLECTIVE,
    .description = "barrier that waits for nobody",
    .run = wait_for_nobody,
    .synchronises = true,
    .unsized = true,
};

/* Rank 0 collects all but the last, and releases all. */
static void forget_last(Cell *c)
{
    const int last = c->ranks - 1;
    if (c->rank && c->rank < last)
        MPI_Send(NULL, 0, MPI_BYTE, 0, TAG, c->comm);
    for (int rank = 1; c->rank == 0 && rank < last; rank++)
        MPI_Recv(NULL, 0, MPI_BYTE, rank, TAG, c->comm, MPI_STATUS_IGNORE);
    MPI_Bcast(NULL, 0, MPI_BYTE, 0, c->comm);
    if (c->rank == 0) {
        for (int rank = 1; rank < c->ranks; rank++)
            MPI_Send(NULL, 0, MPI_BYTE, rank, TAG, c->comm);
    } else {
        MPI_Recv(NULL, 0, MPI_BYTE, 0, TAG, c->comm, MPI_STATUS_IGNORE);
    }
}

KERNEL(forgetful_barrier) = {
    .category = COLLECTIVE,
    .description = "barrier that does not wait for the last rank",
    .run = forget_last,
    .synchronises = true,
    .unsized = true,
};

static void receive_backwards(Cell *c)
{
    if (c->leads) {
        finish(c, send_window(c, 0));
        return;
    }
    for (int i = 0; i < c->window; i++)
        MPI_Irecv(block_at(c, c->receive, c->window - 1 - i), c->count, c->type, c->partner, TAG,
                  c->comm, &c->requests[i]);
    finish(c, c->window);
}

KERNEL(reordered_window) = {
    .category = POINT_TO_POINT,
    .description = "a window of messages that arrive in the opposite order",
    .data = &window_one_way_data,
    .run = receive_backwards,
    .pairing = ENDS,
    .timing = BY_FIRST_RANK,
    .windowed = true,
    .min_ranks = 2,
};

static void spoil_send(Cell *c)
{
    MPI_Allreduce(c->send, c->receive, c->count, c->type, c->op, c->comm);
    if (c->rank == c->ranks - 1)
        c->send[c->send_bytes - 1] ^= 1;
}

KERNEL(spoilt_send) = {
    .category = COLLECTIVE,
    .description = "allreduce that changes what it sends",
    .data = &allreduce_data,
    .run = spoil_send,
    .reduces = true,
};

static void broadcast_beyond(Cell *c)
{
    MPI_Bcast(c->rank == c->root ? c->send : c->receive, c->count, c->type, c->root, c->comm);
    c->receive[c->receive_bytes] = 0;
}

KERNEL(overrun) = {
    .category = COLLECTIVE,
    .description = "bcast that writes a byte behind the receive buffer",
    .data = &broadcast_data,
    .run = broadcast_beyond,
};

static void gather_everywhere(Cell *c)
{
    MPI_Allgather(c->send, c->count, c->type, c->receive, c->count, c->type, c->comm);
}

KERNEL(lavish_gather) = {
    .category = COLLECTIVE,
    .description = "gather that writes to every rank's receive buffer",
    .data = &gather_data,
    .run = gather_everywhere,
};

#if MPI_VERSION >= 3
/* A library that spoils what it has received when it is asked whether it is there. */
static char *received;

int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status)
{
    const int error = PMPI_Test(request, flag, status);
    if (*flag && received)
        received[0] ^= 1;
    return error;
}

static void start_and_remember(Cell *c, MPI_Request *request)
{
    MPI_Iallreduce(c->send, c->receive, c->count, c->type, c->op, c->comm, request);
    received = c->receive;
}

static void forget(Cell *c)
{
    (void)c;
    received = NULL;
}
#endif

KERNEL(spoilt_by_test) = {
    .category = NONBLOCKING,
    .description = "iallreduce that is wrong only if it is completed by MPI_Test",
    .data = &allreduce_data,
    .start = MPI3_ONLY(start_and_remember),
    .teardown = MPI3_ONLY(forget),
    .unsupported = NEEDS_MPI3,
    .reduces = true,
};
