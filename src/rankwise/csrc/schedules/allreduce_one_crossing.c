#include "plans.h"

static void generate(Schedule *s, const Problem *p)
{
    allreduce_along(s, p, one_crossing);
}

ALGORITHM(one_crossing, ALLREDUCE) = {
    .description = "one rank of each site exchanges the site's sum with all others",
    .generate = generate,
    .commutative_only = "it adds up site by site, whatever the order of the ranks",
    .segmented = true,
    .for_networks = true,
};
