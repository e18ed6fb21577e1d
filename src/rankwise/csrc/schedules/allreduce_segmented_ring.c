/* Open MPI's segmented ring: as ring, but parts are cut into segments, so that one is reduced while
 * the next is under way. As many bytes; S times the messages, S segments a part. */
#include "phases.h"

static void generate(Schedule *s, const Problem *p)
{
    const Group all = all_ranks(p);
    const Parts parts = equal_parts(p->count, all.size);
    const int64_t segment = segment_or(p, part_length(p->count, p->ranks, 0), 262144, 8);
    const Place to = place(OUTPUT_MEMORY, 0);
    const Place own = beyond(to, start_of_part(&parts, all.me));
    const int done =
        ring_reduce_scatter(s, &all, &parts, place(INPUT_MEMORY, 0), own, segment, 0, NO_STEP);
    ring_allgather(s, &all, &parts, to, segment, phase_tags(&parts, segment), done);
}

ALGORITHM(segmented_ring, ALLREDUCE) = {
    .description = "a ring in which parts are reduced in segments while others are under way",
    .generate = generate,
    .commutative_only = "a ring reduces in an order of its own",
    .segmented = true,
};
