/* The receiver's share of a message (o_r of LogP). */
#include "kernel.h"

KERNEL(receive_overhead) = {
    .category = POINT_TO_POINT,
    .description = "what receiving takes the last rank when it comes late, the message being there",
    .data = &one_way_data,
    .run = send_to_late_receiver,
    .setup = set_up_late_receiver,
    .teardown = tear_down_late_receiver,
    .pairing = ENDS,
    .timing = BY_LAST_RANK,
    .moves = 1,
    .min_ranks = 2,
};
