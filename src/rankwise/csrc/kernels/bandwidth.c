#include "kernel.h"

KERNEL(bandwidth) = {
    .category = POINT_TO_POINT,
    .description = "a window of messages from the first rank to the last, until acknowledged",
    .data = &window_one_way_data,
    .run = acknowledged_window,
    .pairing = ENDS,
    .timing = BY_FIRST_RANK,
    .batched = true,
    .windowed = true,
    .moves = 1,
    .min_ranks = 2,
};
