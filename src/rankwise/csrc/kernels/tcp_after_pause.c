#define _POSIX_C_SOURCE 200809L
#include "kernel.h"

#include "tcp.h"
#include <time.h>

/* TCP halves its congestion window for each retransmission timeout of silence, as long as
 * net.ipv4.tcp_slow_start_after_idle is 1. Two of them, and a little more, show in every message
 * that needed the window; more would only take longer. */
static const double TIMEOUTS = 2.1;

enum { OPENING = 3 }; /* messages without a pause first, which open the window */

static void keep_silent(double seconds)
{
    struct timespec left = {.tv_sec = (time_t)seconds};
    left.tv_nsec = (long)((seconds - (double)left.tv_sec) * 1e9);
    while (nanosleep(&left, &left) != 0)
        ; /* a signal came between */
}

static void run(Cell *c)
{
    if (!c->leads) {
        tcp_receive(c);
        tcp_send(c);
        return;
    }
    if (tcp_sent_messages(c) >= OPENING) {
        keep_silent(TIMEOUTS * tcp_timeout_seconds(c));
        restart_timer(c);
    }
    tcp_send(c);
    tcp_receive(c);
}

KERNEL(tcp_after_pause) = {
    .category = BASELINE,
    .description = "ping-pong over a plain TCP socket, without MPI, each time after some silence",
    .data = &both_ways_data,
    .run = run,
    .setup = tcp_connect,
    .teardown = tcp_close,
    .pairing = ENDS,
    .timing = BY_FIRST_RANK,
    .messages_per_run = 2,
    .moves = 1,
    .min_ranks = 2,
    .plain_data = true,
    .whole = true,
};
