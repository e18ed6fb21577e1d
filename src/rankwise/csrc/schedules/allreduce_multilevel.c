#include "plans.h"

static void generate(Schedule *s, const Problem *p)
{
    allreduce_along(s, p, multilevel);
}

ALGORITHM(multilevel, ALLREDUCE) = {
    .description = "up and down a tree: flat between sites, binomial within",
    .generate = generate,
    .commutative_only = "it adds up site by site, whatever the order of the ranks",
    .segmented = true,
    .for_networks = true,
};
