/* A ping-pong whose messages are packed before they are sent, and unpacked once received. */
#include "kernel.h"
#include <limits.h>

static void setup(Cell *c)
{
    int bytes;
    MPI_Pack_size(c->count, c->type, c->comm, &bytes);
    if ((size_t)bytes > c->scratch_bytes || c->scratch_bytes > INT_MAX)
        fail_cell(c, "MPI_Pack wants %d bytes for a message of %zu", bytes, c->payload_bytes);
}

static void send(Cell *c)
{
    int packed = 0;
    MPI_Pack(c->send, c->count, c->type, c->scratch, (int)c->scratch_bytes, &packed, c->comm);
    MPI_Send(c->scratch, packed, MPI_PACKED, c->partner, TAG, c->comm);
}

static void receive(Cell *c)
{
    int unpacked = 0;
    MPI_Recv(c->scratch, (int)c->scratch_bytes, MPI_PACKED, c->partner, TAG, c->comm,
             MPI_STATUS_IGNORE);
    MPI_Unpack(c->scratch, (int)c->scratch_bytes, &unpacked, c->receive, c->count, c->type,
               c->comm);
}

static void run(Cell *c)
{
    if (c->leads) {
        send(c);
        receive(c);
    } else {
        receive(c);
        send(c);
    }
}

KERNEL(pingpong_as_pack_send_unpack) = {
    .category = GUIDELINE,
    .description = "pingpong with MPI_Pack, a message of bytes, MPI_Unpack",
    .data = &both_ways_data,
    .scratch = TWO_BLOCKS,
    .run = run,
    .setup = setup,
    .pairing = ENDS,
    .timing = BY_FIRST_RANK,
    .batched = true,
    .messages_per_run = 2,
    .moves = 1,
    .min_ranks = 2,
};
