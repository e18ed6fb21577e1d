/* All tell rank 0 that they are there, which then tells all. 2 (P - 1) messages without data, all
 * to or from rank 0. Hoefler et al., A survey of barrier algorithms for coarse grained
 * supercomputers, Chemnitzer Informatik Berichte 04-03, 2004 (central counter). */
#include "tree.h"

static void generate(Schedule *s, const Problem *p)
{
    signal_along(s, linear_tree(p));
}

ALGORITHM(linear, BARRIER) = {
    .description = "all tell rank 0, which tells all",
    .generate = generate,
};
