/* Barnett et al., Interprocessor collective communication library, SHPCC 1994 (van de Geijn's
 * algorithm): the root scatters parts along a binomial tree, which are then gathered round a ring.
 * ceil(log2 P) + P - 1 rounds; a rank receives m bytes, and no part twice. */
#include "phases.h"

static void generate(Schedule *s, const Problem *p)
{
    const Group all = all_ranks_from(p, p->root);
    Parts parts = equal_parts(p->count, all.size);
    parts.scattered = true;
    const Place at = broadcast_place(p);
    const int done = scatter_parts(s, &all, &parts, at, 0, NO_STEP);
    ring_allgather(s, &all, &parts, at, 0, 1, done);
}

ALGORITHM(scatter_allgather_ring, BCAST) = {
    .description = "parts are scattered along a binomial tree, then gathered round a ring",
    .generate = generate,
};
