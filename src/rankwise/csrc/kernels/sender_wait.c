/* Whether a sender waits for its receiver (rendezvous) or not (eager). */
#include "kernel.h"

KERNEL(sender_wait) = {
    .category = POINT_TO_POINT,
    .description = "how long MPI_Send keeps the first rank when the last one receives late",
    .data = &one_way_data,
    .run = send_to_late_receiver,
    .setup = set_up_late_receiver,
    .teardown = tear_down_late_receiver,
    .pairing = ENDS,
    .timing = BY_FIRST_RANK,
    .moves = 1,
    .min_ranks = 2,
};
