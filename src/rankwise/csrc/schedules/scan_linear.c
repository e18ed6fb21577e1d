/* Sanders and Traff, Parallel prefix (scan) algorithms for MPI, EuroPVM/MPI 2006: each rank adds
 * its own to what the one before sends and passes it on, in segments if asked for. (P - 1) S
 * messages of S segments, (P - 1) m bytes, P - 2 + S rounds. */
#include "tree.h"

static void generate(Schedule *s, const Problem *p)
{
    const int parts = segments(p->count, p->segment);
    const int64_t usual = parts > 1 ? p->segment : p->count;
    const Place arrived = add_scratch(s, p->rank ? p->count : 0);
    for (int i = 0; i < parts; i++) {
        const int64_t start = i * usual;
        const int64_t length = usual < p->count - start ? usual : p->count - start;
        const Place sum = place(OUTPUT_MEMORY, start);
        int done = add_copy(s, place(INPUT_MEMORY, start), sum, length, NO_STEP);
        if (p->rank) {
            const Place here = beyond(arrived, start);
            const int received = add_receive(s, p->rank - 1, i, here, length, NO_STEP);
            done = add_reduce(s, here, sum, length, both(s, done, received));
        }
        if (p->rank + 1 < p->ranks)
            add_send(s, p->rank + 1, i, sum, length, done);
    }
}

ALGORITHM(linear, SCAN) = {
    .description = "each rank reduces its own into what the one before sends and passes it on",
    .generate = generate,
    .segmented = true,
};
