/* Up a k-nomial tree and down again: 2 (P - 1) messages without data in 2 ceil(log_k P) rounds.
 * Hoefler et al., Chemnitzer Informatik Berichte 04-03, 2004 (combining tree). */
#include "tree.h"

static void generate(Schedule *s, const Problem *p)
{
    signal_along(s, knomial_tree(p, fan_out_or(p, 2)));
}

ALGORITHM(tree, BARRIER) = {
    .description = "up a k-nomial tree and down again",
    .generate = generate,
    .fans = true,
    .objection = needs_a_fan_out_of_two,
};
