#include "kernel.h"

KERNEL(multi_bandwidth) = {
    .category = POINT_TO_POINT,
    .description = "bandwidth of all pairs at once, from the lower half of the ranks to the upper",
    .data = &window_one_way_data,
    .run = acknowledged_window,
    .pairing = HALVES,
    .batched = true,
    .windowed = true,
    .moves = 1,
    .min_ranks = 2,
};
