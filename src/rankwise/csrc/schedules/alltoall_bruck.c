/* Bruck, Ho, Kipnis, Upfal and Weathersby, Efficient algorithms for all-to-all communications in
 * multiport message-passing systems, IEEE TPDS 8(11), 1997: a block that has i ranks to go travels
 * by the powers of two in i, together with all others that make this hop. P ceil(log2 P) messages
 * in ceil(log2 P) rounds; for P a power of two P/2 log2(P) m bytes into each rank. O(P) copies. */
#include "blocks.h"

/* The runs of blocks with this bit in their distance: begin, begin + 1, ..., end - 1. */
typedef struct {
    int begin, end;
} Run;

static bool next_run(Run *run, int bit, int ranks)
{
    const int begin = (run->end | bit) & ~(bit - 1);
    if (run->end >= ranks || begin >= ranks)
        return false;
    *run = (Run){begin, begin + bit < ranks ? begin + bit : ranks};
    return true;
}

static int hop(Schedule *s, const Problem *p, int bit, int tag, Place here, Place leaving,
               Place arriving, int after)
{
    const int n = p->ranks;
    int64_t moved = 0;
    int first = s->count;
    for (Run run = {0}; next_run(&run, bit, n);) {
        const int64_t length = (run.end - run.begin) * p->count;
        add_copy(s, beyond(here, run.begin * p->count), beyond(leaving, moved), length, after);
        moved += length;
    }
    const int packed = join_since(s, first, after);
    const int received = add_receive(s, (p->rank + n - bit) % n, tag, arriving, moved, after);
    const int sent = add_send(s, (p->rank + bit) % n, tag, leaving, moved, packed);
    const int exchanged = both(s, sent, received);
    first = s->count;
    moved = 0;
    for (Run run = {0}; next_run(&run, bit, n);) {
        const int64_t length = (run.end - run.begin) * p->count;
        add_copy(s, beyond(arriving, moved), beyond(here, run.begin * p->count), length, exchanged);
        moved += length;
    }
    return join_since(s, first, exchanged);
}

static void generate(Schedule *s, const Problem *p)
{
    const int n = p->ranks;
    Blocks blocks = blocks_from(p, NULL, p->rank);
    /* The block that is i ranks on goes to place i; in the end that of i ranks back is there. */
    const Place here = add_scratch(s, n * p->count);
    /* At most half of the distances have a bit in common. */
    const Place leaving = add_scratch(s, n / 2 * p->count);
    const Place arriving = add_scratch(s, n / 2 * p->count);
    int done = pack_blocks(s, &blocks, 0, n, place(INPUT_MEMORY, 0), here, NO_STEP);
    int tag = 0;
    for (int64_t bit = 1; bit < n; bit *= 2)
        done = hop(s, p, (int)bit, tag++, here, leaving, arriving, done);
    for (int i = 0; i < n; i++)
        add_copy(s, beyond(here, i * p->count),
                 place(OUTPUT_MEMORY, (p->rank + n - i) % n * p->count), p->count, done);
    free_blocks(&blocks);
}

ALGORITHM(bruck, ALLTOALL) = {
    .description = "blocks travel together by powers of two",
    .generate = generate,
    .equal_blocks = true,
};
