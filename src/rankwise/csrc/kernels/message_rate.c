#include "kernel.h"

static void run(Cell *c)
{
    const int receives = receive_window(c, 0);
    const int sends = send_window(c, receives);
    finish(c, receives + sends);
}

KERNEL(message_rate) = {
    .category = POINT_TO_POINT,
    .description =
        "all pairs at once, both ways: a window of messages posted and waited for together",
    .data = &window_both_ways_data,
    .run = run,
    .pairing = HALVES,
    .batched = true,
    .windowed = true,
    .moves = 2,
    .min_ranks = 2,
};
