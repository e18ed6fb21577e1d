/* De Sensi, Bonato, Saam and Hoefler, Swing: short-cutting rings for higher bandwidth allreduce,
 * NSDI 2024: as Rabenseifner, but partners are 1, 1, 3, 5, 11, ... away, in turn to both sides. As
 * many messages and bytes; parts are numbered so that each message is one piece of memory. */
#include "reduction.h"

static void generate(Schedule *s, const Problem *p)
{
    allreduce_by_halving(s, p, swing);
}

ALGORITHM(swing, ALLREDUCE) = {
    .description = "as rabenseifner, but partners are 1, 1, 3, 5, 11, ... away",
    .generate = generate,
    .commutative_only = "its partners are not neighbouring runs of ranks",
};
