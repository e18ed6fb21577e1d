#include "plans.h"

static void generate(Schedule *s, const Problem *p)
{
    reduce_along(s, p, one_crossing);
}

ALGORITHM(one_crossing, REDUCE) = {
    .description = "one rank of each site sends the site's sum to the root",
    .generate = generate,
    .commutative_only = "it adds up site by site, whatever the order of the ranks",
    .segmented = true,
    .for_networks = true,
};
