#include "plans.h"

static void generate(Schedule *s, const Problem *p)
{
    bcast_along(s, p, parallel_lanes);
}

ALGORITHM(lanes, BCAST) = {
    .description = "in chunks from several nodes of the root's site to several of each other",
    .generate = generate,
    .lanes = true,
    .segmented = true,
    .for_networks = true,
};
