#include "plans.h"

static void generate(Schedule *s, const Problem *p)
{
    bcast_along(s, p, one_crossing);
}

ALGORITHM(one_crossing, BCAST) = {
    .description = "from the root to one rank of each site, which hand it on",
    .generate = generate,
    .segmented = true,
    .for_networks = true,
};
