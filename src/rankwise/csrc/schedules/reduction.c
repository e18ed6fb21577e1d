/* Ways to reduce that several algorithms share. */
#include "reduction.h"
#include "phases.h"
#include <stdlib.h>

static int *one_a_segment(Schedule *s, const Problem *p, int64_t segment)
{
    int *steps = malloc((size_t)segments(p->count, segment) * sizeof *steps);
    if (!steps)
        refuse(s, "no memory for the segments of a schedule");
    return steps;
}

void reduce_on_tree(Schedule *s, const Problem *p, Tree tree, int top, int64_t segment)
{
    const Place from = place(INPUT_MEMORY, 0), to = place(OUTPUT_MEMORY, 0);
    int *ready = one_a_segment(s, p, segment);
    if (p->rank == top && top != p->root)
        tree.parent = p->root;
    if (ready)
        reduce_up(s, &tree, from, to, p->count, segment, p->commutative, 0, NO_STEP, ready);
    if (ready && p->rank == p->root && top != p->root) {
        const Tree below_top = {.parent = top};
        send_down_each(s, &below_top, to, p->count, segment, 0, ready);
    }
    free(ready);
    free_tree(&tree);
}

void allreduce_on_tree(Schedule *s, const Problem *p, Tree tree, int64_t segment)
{
    const Place from = place(INPUT_MEMORY, 0), to = place(OUTPUT_MEMORY, 0);
    int *ready = one_a_segment(s, p, segment);
    if (ready) {
        reduce_up(s, &tree, from, to, p->count, segment, p->commutative, 0, NO_STEP, ready);
        send_down_each(s, &tree, to, p->count, segment, 0, ready);
    }
    free(ready);
    free_tree(&tree);
}

void allreduce_by_halving(Schedule *s, const Problem *p, Pairing (*pairing)(const Group *))
{
    enum { FOLD_IN, HALVING, DOUBLING = HALVING + 31, FOLD_OUT = DOUBLING + 31 };
    const Group all = all_ranks(p), core = fold(&all, power_of_two(all.size));
    const Parts parts = equal_parts(p->count, core.size);
    const Place to = place(OUTPUT_MEMORY, 0);
    Place from = place(INPUT_MEMORY, 0);
    int done = fold_in(s, &all, core.size, &from, p->count, p->commutative, FOLD_IN, NO_STEP);
    if (core.me >= 0) {
        const Pairing pairs = pairing(&core);
        done = halving_reduce_scatter(s, &pairs, &parts, from,
                                      beyond(to, start_of_part(&parts, pairs.part)), p->commutative,
                                      HALVING, done);
        done = doubling_allgather(s, &pairs, &parts, to, DOUBLING, done);
    }
    fold_out(s, &all, core.size, to, p->count, FOLD_OUT, done);
}

/* What `size` ranks have, which are `away` apart; this rank's is in at[own]. The sum is in the last
 * place, made from the last rank's backwards, so that all get the same bits. Returns the step after
 * which the sum is there; *free: after which the other places may be written. `received` has room
 * for `size` steps. */
static int exchange(Schedule *s, const Group *g, Place *at, int *received, int size, int away,
                    int64_t length, int tag, int ready, int *free)
{
    const int own = g->me / away % size, first = s->count;
    for (int i = 0; i < size; i++)
        received[i] = i == own ? ready
                               : add_receive(s, member(g, g->me + (i - own) * away), tag, at[i],
                                             length, *free);
    for (int i = 1; i < size; i++)
        add_send(s, member(g, g->me + ((own + i) % size - own) * away), tag, at[own], length,
                 ready);
    int sum = own == size - 1 ? join_since(s, first, ready) : received[size - 1];
    for (int i = size - 2; i >= 0; i--)
        sum = add_reduce(s, at[i], at[size - 1], length, both(s, sum, received[i]));
    *free = join_since(s, first, ready);
    return sum;
}

void allreduce_by_exchange(Schedule *s, const Problem *p, int fan_out)
{
    const int k = fan_out > p->ranks && p->ranks > 1 ? p->ranks : fan_out;
    enum { FOLD_IN, FOLD_OUT, FIRST_ROUND };
    const Group all = all_ranks(p);
    const Place to = place(OUTPUT_MEMORY, 0);
    int power = 1;
    while (power <= p->ranks / k)
        power *= k;
    const Group core = fold(&all, p->ranks / power * power);
    Place *at = malloc((size_t)k * sizeof *at), from = place(INPUT_MEMORY, 0);
    int *received = malloc((size_t)k * sizeof *received);
    if (!at || !received) {
        free(at);
        free(received);
        refuse(s, "no memory for the parts of a reduction");
        return;
    }
    int done = fold_in(s, &all, core.size, &from, p->count, p->commutative, FOLD_IN, NO_STEP);
    if (core.me >= 0) {
        done = add_copy(s, from, to, p->count, done);
        int unused = done, round = FIRST_ROUND, size, last = 0;
        at[0] = to;
        for (int i = 1; i < k && i < core.size; i++)
            at[i] = add_scratch(s, p->count);
        for (int away = 1; away < core.size; away *= size, round++, last = size - 1) {
            size = away < power ? k : core.size / power;
            const int own = core.me / away % size;
            const Place mine = at[last];
            at[last] = at[own];
            at[own] = mine;
            done = exchange(s, &core, at, received, size, away, p->count, round, done, &unused);
        }
        done = add_copy(s, at[last], to, p->count, both(s, done, unused));
    }
    free(at);
    free(received);
    fold_out(s, &all, core.size, to, p->count, FOLD_OUT, done);
}
