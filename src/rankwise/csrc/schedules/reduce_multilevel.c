#include "plans.h"

static void generate(Schedule *s, const Problem *p)
{
    reduce_along(s, p, multilevel);
}

ALGORITHM(multilevel, REDUCE) = {
    .description = "binomial on each level of groups, flat between sites",
    .generate = generate,
    .commutative_only = "it adds up site by site, whatever the order of the ranks",
    .segmented = true,
    .for_networks = true,
};
