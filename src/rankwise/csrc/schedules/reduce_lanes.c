#include "plans.h"

static void generate(Schedule *s, const Problem *p)
{
    reduce_along(s, p, parallel_lanes);
}

ALGORITHM(lanes, REDUCE) = {
    .description = "in chunks from several nodes of each site to several of the root's",
    .generate = generate,
    .commutative_only = "it adds up site by site, whatever the order of the ranks",
    .lanes = true,
    .segmented = true,
    .for_networks = true,
};
