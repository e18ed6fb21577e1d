/* What collective algorithms are put together from. */
#include "phases.h"
#include "tree.h"

/* The segments of a part that is sent in round `round`: all parts have as many tags as the longest
 * needs, so that sender and receiver agree. */
typedef struct {
    const Parts *parts;
    int64_t segment;
    int most;
} Cut;

static Cut cut(const Parts *parts, int64_t segment)
{
    int64_t longest = 0;
    if (!parts->starts && !parts->folded)
        longest = part_length(parts->length, parts->parts, 0);
    for (int i = 0; (parts->starts || parts->folded) && i < parts->parts; i++)
        if (parts_between(parts, i, i + 1) > longest)
            longest = parts_between(parts, i, i + 1);
    return (Cut){parts, segment > 0 ? segment : longest, segments(longest, segment)};
}

int phase_tags(const Parts *parts, int64_t segment)
{
    return parts->parts * cut(parts, segment).most;
}

static int64_t cut_length(const Cut *c, int part, int i)
{
    const int64_t rest = parts_between(c->parts, part, part + 1) - i * c->segment;
    return rest < c->segment ? rest : c->segment;
}

static int64_t cut_start(const Cut *c, int part, int i)
{
    return start_of_part(c->parts, part) + i * c->segment;
}

/* Segment i goes round by itself. In each round what arrived in the round before is sent on with
 * the own part reduced into it; two buffers, so that one can be received while one is sent. */
static void reduce_segment(Schedule *s, const Group *g, const Cut *c, Place from, Place to, int i,
                           int tag, int after)
{
    const int n = g->size, next = member(g, (g->me + 1) % n);
    const int before = member(g, (g->me + n - 1) % n);
    const Place buffer[] = {add_scratch(s, c->segment), add_scratch(s, n > 2 ? c->segment : 0)};
    Place out = beyond(from, cut_start(c, (g->me + n - 1) % n, i));
    int sent = after, done = after;
    for (int round = 0; round < n - 1; round++) {
        const int sends = (g->me + 2 * n - 1 - round) % n, adds = (sends + n - 1) % n;
        const int64_t length = cut_length(c, adds, i);
        const Place own = beyond(from, cut_start(c, adds, i)), in = buffer[round % 2];
        const int received = add_receive(s, before, tag + round * c->most + i, in, length, sent);
        sent = add_send(s, next, tag + round * c->most + i, out, cut_length(c, sends, i), done);
        if (round == n - 2) {
            const Place last = beyond(to, i * c->segment);
            const int copied = add_copy(s, own, last, length, after);
            add_reduce(s, in, last, length, both(s, copied, received));
        } else {
            done = add_reduce(s, own, in, length, received);
        }
        out = in;
    }
}

int ring_reduce_scatter(Schedule *s, const Group *g, const Parts *parts, Place from, Place to,
                        int64_t segment, int tag, int after)
{
    const int first = s->count;
    const Cut c = cut(parts, segment);
    if (g->size == 1)
        return add_copy(s, from, to, parts->length, after);
    for (int i = 0; i < c.most; i++)
        reduce_segment(s, g, &c, from, to, i, tag, after);
    return join_since(s, first, after);
}

/* The member's binomial subtree is itself and those that follow it, as many as its lowest bit. */
static int subtree(int members, int number)
{
    const int size = number ? number & -number : members;
    return size < members - number ? size : members - number;
}

/* Whether a member has parts begin ... end - 1 from scatter_parts. */
static bool was_scattered(const Parts *parts, int number, int begin, int end)
{
    return parts->scattered && number <= begin && end <= number + subtree(parts->parts, number);
}

/* Receives wait for the one before the last: so many parts need not all be waited for at once. */
static void hand_out_segment(Schedule *s, const Group *g, const Cut *c, Place at, int i, int tag,
                             int after)
{
    const int n = g->size, right = (g->me + 1) % n;
    const int next = member(g, right), before = member(g, (g->me + n - 1) % n);
    int received[] = {after, after};
    for (int round = 0; round < n - 1; round++) {
        const int out = (g->me + n - round) % n, in = (out + n - 1) % n;
        int arrived = received[0];
        if (!was_scattered(c->parts, g->me, in, in + 1))
            arrived = add_receive(s, before, tag + round * c->most + i,
                                  beyond(at, cut_start(c, in, i)), cut_length(c, in, i), arrived);
        if (!was_scattered(c->parts, right, out, out + 1))
            add_send(s, next, tag + round * c->most + i, beyond(at, cut_start(c, out, i)),
                     cut_length(c, out, i), received[1]);
        received[0] = received[1];
        received[1] = arrived;
    }
}

int ring_allgather(Schedule *s, const Group *g, const Parts *parts, Place at, int64_t segment,
                   int tag, int after)
{
    const int first = s->count;
    const Cut c = cut(parts, segment);
    for (int i = 0; i < c.most; i++)
        hand_out_segment(s, g, &c, at, i, tag, after);
    return join_since(s, first, after);
}

int combine(Schedule *s, bool arrived_first, Place *mine, Place *arrived, int64_t length,
            bool commutative, int after)
{
    if (arrived_first || commutative)
        return add_reduce(s, *arrived, *mine, length, after);
    const int done = add_reduce(s, *mine, *arrived, length, after);
    const Place sum = *arrived;
    *arrived = *mine;
    *mine = sum;
    return done;
}

int halving_reduce_scatter(Schedule *s, const Pairing *pairing, const Parts *parts, Place from,
                           Place to, bool commutative, int tag, int after)
{
    const int first = s->count;
    Place mine = from, arrived = from, spare = from;
    int begin = 0, size = parts->parts, done = after;
    for (int round = 0; round < pairing->rounds; round++, begin += pairing->part & size) {
        size /= 2;
        const int keeps = begin + (pairing->part & size), gives = begin + (~pairing->part & size);
        const int64_t length = parts_between(parts, keeps, keeps + size);
        const Place whole = mine;
        bool earlier = pairing->before[round];
        int ready = done;
        mine = beyond(whole, parts_between(parts, begin, keeps));
        if (round == 0) {
            arrived = add_scratch(s, length);
            spare = add_scratch(s, length);
            earlier = earlier && !commutative;
            if (earlier) { /* what is only read cannot become the sum */
                ready = add_copy(s, mine, spare, length, done);
                mine = spare;
            }
        }
        const int received =
            add_receive(s, pairing->partner[round], tag + round, arrived, length, done);
        add_send(s, pairing->partner[round], tag + round,
                 beyond(whole, parts_between(parts, begin, gives)),
                 parts_between(parts, gives, gives + size), done);
        done = combine(s, earlier, &mine, &arrived, length, commutative && round > 0,
                       both(s, received, ready));
        if (round == 0 && !earlier)
            arrived = spare;
    }
    add_copy(s, mine, to, parts_between(parts, begin, begin + size), join_since(s, first, after));
    return join_since(s, first, after);
}

int doubling_allgather(Schedule *s, const Pairing *pairing, const Parts *parts, Place at, int tag,
                       int after)
{
    const int first = s->count;
    int size = 1, done = after;
    for (int round = pairing->rounds - 1; round >= 0; round--, size *= 2) {
        const int has = pairing->part & ~(size - 1), gets = has ^ size;
        const int partner = pairing->partner[round], other = pairing->part ^ size;
        int received = after;
        if (!was_scattered(parts, pairing->part, gets, gets + size))
            received = add_receive(s, partner, tag + round, beyond(at, start_of_part(parts, gets)),
                                   parts_between(parts, gets, gets + size), after);
        if (!was_scattered(parts, other, has, has + size))
            add_send(s, partner, tag + round, beyond(at, start_of_part(parts, has)),
                     parts_between(parts, has, has + size), done);
        done = both(s, done, received);
    }
    return join_since(s, first, after);
}

static Place part_place(const Parts *parts, Place at, int part)
{
    return beyond(at, start_of_part(parts, part));
}

int scatter_parts(Schedule *s, const Group *g, const Parts *parts, Place at, int tag, int after)
{
    const int first = s->count, size = subtree(g->size, g->me), low = g->me & -g->me;
    int ready = after, step = 1;
    if (g->me)
        ready = add_receive(s, member(g, g->me - low), tag, part_place(parts, at, g->me),
                            parts_between(parts, g->me, g->me + size), after);
    while (2 * step < size)
        step *= 2;
    for (; step > 0; step /= 2) {
        const int child = g->me + step;
        if (step < size)
            add_send(s, member(g, child), tag, part_place(parts, at, child),
                     parts_between(parts, child, child + subtree(g->size, child)), ready);
    }
    return join_since(s, first, after);
}

int gather_parts(Schedule *s, const Group *g, const Parts *parts, Place at, int tag, int after)
{
    const int first = s->count, size = subtree(g->size, g->me), low = g->me & -g->me;
    for (int step = 1; step < size; step *= 2) {
        const int child = g->me + step;
        add_receive(s, member(g, child), tag, part_place(parts, at, child),
                    parts_between(parts, child, child + subtree(g->size, child)), after);
    }
    const int ready = join_since(s, first, after);
    if (g->me)
        add_send(s, member(g, g->me - low), tag, part_place(parts, at, g->me),
                 parts_between(parts, g->me, g->me + size), ready);
    return join_since(s, first, after);
}

int fold_in(Schedule *s, const Group *g, int size, Place *from, int64_t length, bool commutative,
            int tag, int after)
{
    const int partner = folded_with(g, size);
    if (partner < 0)
        return after;
    if (g->me % 2 == 0)
        return add_send(s, partner, tag, *from, length, after);
    Place sum = add_scratch(s, length);
    const int received = add_receive(s, partner, tag, sum, length, after);
    if (commutative) {
        const int done = add_reduce(s, *from, sum, length, received);
        *from = sum;
        return done;
    }
    const Place arrived = sum;
    sum = add_scratch(s, length);
    const int copied = add_copy(s, *from, sum, length, after);
    *from = sum;
    return add_reduce(s, arrived, sum, length, both(s, copied, received));
}

int fold_out(Schedule *s, const Group *g, int size, Place at, int64_t length, int tag, int after)
{
    const int partner = folded_with(g, size);
    if (partner < 0)
        return after;
    return g->me % 2 ? add_send(s, partner, tag, at, length, after)
                     : add_receive(s, partner, tag, at, length, after);
}
