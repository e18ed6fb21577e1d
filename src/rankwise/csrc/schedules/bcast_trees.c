#include "plans.h"

static void generate(Schedule *s, const Problem *p)
{
    bcast_along(s, p, weighted_trees);
}

ALGORITHM(trees, BCAST) = {
    .description = "in chunks along the best one or two trees over the sites",
    .generate = generate,
    .lanes = true,
    .segmented = true,
    .for_networks = true,
};
