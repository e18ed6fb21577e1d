#include "plans.h"

static void generate(Schedule *s, const Problem *p)
{
    bcast_along(s, p, multilevel);
}

ALGORITHM(multilevel, BCAST) = {
    .description = "flat between sites, binomial within, on each level of groups",
    .generate = generate,
    .segmented = true,
    .for_networks = true,
};
