/* Patarasuk and Yuan, Bandwidth optimal all-reduce algorithms for clusters of workstations, JPDC
 * 69(2), 2009: each part goes round the ring once to be reduced and once to be handed out.
 * 2 (P - 1) rounds of one message a rank, which sends about 2 m (P - 1)/P bytes. */
#include "phases.h"

static void generate(Schedule *s, const Problem *p)
{
    const Group all = all_ranks(p);
    const Parts parts = equal_parts(p->count, all.size);
    const Place to = place(OUTPUT_MEMORY, 0);
    const Place own = beyond(to, start_of_part(&parts, all.me));
    const int done =
        ring_reduce_scatter(s, &all, &parts, place(INPUT_MEMORY, 0), own, 0, 0, NO_STEP);
    ring_allgather(s, &all, &parts, to, 0, phase_tags(&parts, 0), done);
}

ALGORITHM(ring, ALLREDUCE) = {
    .description = "parts go round a ring, once to be reduced and once to be handed out",
    .generate = generate,
    .commutative_only = "a ring reduces in an order of its own",
};
