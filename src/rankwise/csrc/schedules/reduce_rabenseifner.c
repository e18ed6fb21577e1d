/* Rabenseifner, Optimization of collective reduction operations, ICCS 2004: reduce-scatter by
 * recursive halving, then the parts are gathered along a binomial tree. 2 log2 P rounds; a rank
 * sends at most 2 m (P - 1)/P bytes. Where P is no power of two, ranks beyond it send theirs first.
 */
#include "phases.h"

static void generate(Schedule *s, const Problem *p)
{
    enum { FOLD_TAG, GATHER_TAG, HALVING_TAG };
    const int size = power_of_two(p->ranks), folded = p->ranks > size;
    /* The root is the first of those that stay: of a pair the second one does. */
    const Group all = all_ranks_from(p, (p->root + p->ranks - folded) % p->ranks);
    const Group core = fold(&all, size);
    const Parts parts = equal_parts(p->count, size);
    Place from = place(INPUT_MEMORY, 0), at = place(OUTPUT_MEMORY, 0);
    int done = fold_in(s, &all, size, &from, p->count, true, FOLD_TAG, NO_STEP);
    if (core.me < 0)
        return;
    if (core.me > 0) { /* room for the parts that it gathers */
        const int below = core.me & -core.me;
        at = add_scratch(s, parts_between(&parts, core.me, core.me + below));
        at.offset -= start_of_part(&parts, core.me);
    }
    const Pairing pairs = far_first(&core);
    done =
        halving_reduce_scatter(s, &pairs, &parts, from, beyond(at, start_of_part(&parts, core.me)),
                               true, HALVING_TAG, done);
    gather_parts(s, &core, &parts, at, GATHER_TAG, done);
}

ALGORITHM(rabenseifner, REDUCE) = {
    .description = "reduce-scatter by recursive halving, then a gather along a binomial tree",
    .generate = generate,
    .commutative_only = "recursive halving from afar does not join neighbouring ranks",
};
