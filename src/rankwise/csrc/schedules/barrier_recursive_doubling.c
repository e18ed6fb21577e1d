/* Pairwise exchange (Hoefler et al., Chemnitzer Informatik Berichte 04-03, 2004): pairs tell each
 * other, then pairs of pairs, ...: P log2 P messages without data. Where P is no power of two,
 * those beyond it tell another one first, which tells them in the end: 2 messages each. */
#include "group.h"

static void generate(Schedule *s, const Problem *p)
{
    enum { FOLD_IN, FOLD_OUT, FIRST_ROUND };
    const Group all = all_ranks(p), core = fold(&all, power_of_two(p->ranks));
    const int partner = folded_with(&all, core.size);
    int told = NO_STEP;
    if (core.me < 0) {
        add_signal(s, partner, FOLD_IN, NO_STEP);
        add_signal_receive(s, partner, FOLD_OUT, NO_STEP);
        return;
    }
    if (partner >= 0)
        told = add_signal_receive(s, partner, FOLD_IN, NO_STEP);
    const Pairing pairs = near_first(&core);
    for (int i = 0; i < pairs.rounds; i++) {
        add_signal(s, pairs.partner[i], FIRST_ROUND + i, told);
        told = add_signal_receive(s, pairs.partner[i], FIRST_ROUND + i, told);
    }
    if (partner >= 0)
        add_signal(s, partner, FOLD_OUT, told);
}

ALGORITHM(recursive_doubling, BARRIER) = {
    .description = "pairs tell each other, then pairs of pairs, ...",
    .generate = generate,
};
