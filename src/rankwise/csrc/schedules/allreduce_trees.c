#include "plans.h"

static void generate(Schedule *s, const Problem *p)
{
    allreduce_along(s, p, weighted_trees);
}

ALGORITHM(trees, ALLREDUCE) = {
    .description = "in chunks up and down the best one or two trees over the sites",
    .generate = generate,
    .commutative_only = "it adds up site by site, whatever the order of the ranks",
    .lanes = true,
    .segmented = true,
    .for_networks = true,
};
