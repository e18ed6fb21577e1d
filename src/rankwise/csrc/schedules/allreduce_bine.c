/* De Sensi et al., Bine trees, SC 2025, for short messages: pairs exchange all they have, log2 P
 * rounds of m bytes from each rank, with the partners of swing, a third nearer than those of
 * recursive doubling; for long ones the paper's reduce-scatter and allgather are those of swing.
 * Where P is no power of two, the ranks beyond it send theirs first and get the sum in the end. */
#include "phases.h"

static void generate(Schedule *s, const Problem *p)
{
    enum { FOLD_IN, FOLD_OUT, FIRST_ROUND };
    const Group all = all_ranks(p), core = fold(&all, power_of_two(p->ranks));
    const Place to = place(OUTPUT_MEMORY, 0);
    Place mine = place(INPUT_MEMORY, 0);
    int done = fold_in(s, &all, core.size, &mine, p->count, true, FOLD_IN, NO_STEP);
    if (core.me >= 0) {
        const Pairing pairs = swing(&core);
        Place arrived = add_scratch(s, p->count);
        done = add_copy(s, mine, to, p->count, done);
        mine = to;
        int free = done;
        for (int i = 0; i < pairs.rounds; i++) {
            const int first = s->count, tag = FIRST_ROUND + i;
            const int received = add_receive(s, pairs.partner[i], tag, arrived, p->count, free);
            add_send(s, pairs.partner[i], tag, mine, p->count, done);
            done = combine(s, false, &mine, &arrived, p->count, false, both(s, done, received));
            free = join_since(s, first, free);
        }
        done = add_copy(s, mine, to, p->count, free);
    }
    fold_out(s, &all, core.size, to, p->count, FOLD_OUT, done);
}

ALGORITHM(bine, ALLREDUCE) = {
    .description = "pairs exchange all they have; partners are 1, 1, 3, 5, 11, ... away (Bine)",
    .generate = generate,
    .commutative_only = "its partners are not neighbouring runs of ranks",
};
