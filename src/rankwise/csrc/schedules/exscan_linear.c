/* Sanders and Traff, Parallel prefix (scan) algorithms for MPI, EuroPVM/MPI 2006: what the rank
 * before sends is the result, and goes on with the own reduced into it, in segments if asked for.
 * (P - 1) S messages of S segments, (P - 1) m bytes, P - 2 + S rounds. */
#include "tree.h"

static void generate(Schedule *s, const Problem *p)
{
    const int parts = segments(p->count, p->segment), last = p->rank + 1 == p->ranks;
    const int64_t usual = parts > 1 ? p->segment : p->count;
    const Place sums = add_scratch(s, p->rank && !last ? p->count : 0);
    for (int i = 0; i < parts; i++) {
        const int64_t start = i * usual;
        const int64_t length = usual < p->count - start ? usual : p->count - start;
        const Place own = place(INPUT_MEMORY, start), to = place(OUTPUT_MEMORY, start);
        Place sum = own;
        int done = NO_STEP;
        if (p->rank && !last) {
            sum = beyond(sums, start);
            done =
                add_copy(s, own, sum, length, NO_STEP); /* first: it may be what is received to */
        }
        if (p->rank)
            done = add_receive(s, p->rank - 1, i, to, length, done);
        if (p->rank && !last)
            done = add_reduce(s, to, sum, length, done);
        if (!last)
            add_send(s, p->rank + 1, i, sum, length, done);
    }
}

ALGORITHM(linear, EXSCAN) = {
    .description = "what the rank before sends is the result, and goes on with the own reduced in",
    .generate = generate,
    .segmented = true,
};
