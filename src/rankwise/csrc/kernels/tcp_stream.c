#include "kernel.h"

#include "tcp.h"

static void run(Cell *c)
{
    if (c->leads)
        tcp_send(c);
    else
        tcp_receive(c);
}

KERNEL(tcp_stream) = {
    .category = BASELINE,
    .description = "a stream over a fresh TCP connection, without MPI, and what TCP says of it",
    .data = &one_way_data,
    .run = run,
    .setup = tcp_connect,
    .teardown = tcp_close,
    .pairing = ENDS,
    .timing = BY_LAST_RANK,
    .streamed = true,
    .fresh = true,
    .gauges = &tcp_gauges,
    .moves = 1,
    .min_ranks = 2,
    .plain_data = true,
    .whole = true,
};
