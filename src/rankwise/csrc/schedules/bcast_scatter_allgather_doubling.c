/* Thakur, Rabenseifner and Gropp, IJHPCA 19(1), 2005: the root scatters parts along a binomial
 * tree, which are then gathered by recursive doubling: 2 log2 P rounds; a rank receives m bytes,
 * and no part twice. Where P is no power of two, the ranks beyond it get all from others in the
 * end. */
#include "phases.h"

static void generate(Schedule *s, const Problem *p)
{
    enum { SCATTER_TAG, FOLD_TAG, DOUBLING_TAG };
    const int size = power_of_two(p->ranks), folded = p->ranks > size;
    /* The root is the first of those that stay: of a pair the second one does. */
    const Group all = all_ranks_from(p, (p->root + p->ranks - folded) % p->ranks);
    const Group core = fold(&all, size);
    Parts parts = equal_parts(p->count, size);
    parts.scattered = true;
    const Place at = broadcast_place(p);
    int done = NO_STEP;
    if (core.me >= 0) {
        const Pairing pairs = far_first(&core);
        done = scatter_parts(s, &core, &parts, at, SCATTER_TAG, done);
        done = doubling_allgather(s, &pairs, &parts, at, DOUBLING_TAG, done);
    }
    fold_out(s, &all, size, at, p->count, FOLD_TAG, done);
}

ALGORITHM(scatter_allgather_doubling, BCAST) = {
    .description = "parts are scattered along a binomial tree, then gathered by recursive doubling",
    .generate = generate,
};
