#include "plans.h"

static void generate(Schedule *s, const Problem *p)
{
    allreduce_along(s, p, parallel_lanes);
}

ALGORITHM(lanes, ALLREDUCE) = {
    .description = "in chunks, whose sums several nodes of each site exchange",
    .generate = generate,
    .commutative_only = "it adds up site by site, whatever the order of the ranks",
    .lanes = true,
    .segmented = true,
    .for_networks = true,
};
