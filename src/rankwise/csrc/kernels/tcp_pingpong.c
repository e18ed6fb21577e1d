#include "kernel.h"

#include "tcp.h"

static void run(Cell *c)
{
    if (c->leads) {
        tcp_send(c);
        tcp_receive(c);
    } else {
        tcp_receive(c);
        tcp_send(c);
    }
}

KERNEL(tcp_pingpong) = {
    .category = BASELINE,
    .description = "ping-pong over a plain TCP socket, without MPI: what the network itself takes",
    .data = &both_ways_data,
    .run = run,
    .setup = tcp_connect,
    .teardown = tcp_close,
    .pairing = ENDS,
    .timing = BY_FIRST_RANK,
    .batched = true,
    .messages_per_run = 2,
    .moves = 1,
    .min_ranks = 2,
    .plain_data = true,
    .whole = true,
};
