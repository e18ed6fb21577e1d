/* What goes along trees: data from the root down, and their reduction up to the root. */
#include "tree.h"

/* A message in segments of equal length but the last. */
typedef struct {
    int64_t length, usual;
    int parts;
} Cut;

static Cut cut(int64_t length, int64_t segment)
{
    const int parts = segments(length, segment);
    return (Cut){length, parts > 1 ? segment : length, parts};
}

static int64_t cut_length(const Cut *c, int i)
{
    const int64_t rest = c->length - i * c->usual;
    return rest < c->usual ? rest : c->usual;
}

static void hand_down(Schedule *s, const Tree *tree, Place at, int64_t length, int tag, int after)
{
    int ready = after;
    if (tree->parent >= 0)
        ready = add_receive(s, tree->parent, tag, at, length, after);
    for (int c = 0; c < tree->count; c++)
        add_send(s, tree->children[c], tag, at, length, ready);
}

void send_down_each(Schedule *s, const Tree *tree, Place at, int64_t length, int64_t segment,
                    int tag, const int *after)
{
    const Cut c = cut(length, segment);
    for (int i = 0; i < c.parts; i++)
        hand_down(s, tree, beyond(at, i * c.usual), cut_length(&c, i), tag + i, after[i]);
}

void send_down(Schedule *s, const Tree *tree, Place at, int64_t length, int64_t segment, int tag,
               int after, int *ends)
{
    const int first = s->count;
    const Cut c = cut(length, segment);
    for (int i = 0; i < c.parts; i++)
        hand_down(s, tree, beyond(at, i * c.usual), cut_length(&c, i), tag + i, after);
    if (ends)
        *ends = join_since(s, first, after);
}

/* Buffers that are used in turn: what arrives next can be received while the last is reduced. */
enum { SLOTS = 4 };

typedef struct {
    Place place[SLOTS];
    int free[SLOTS]; /* the step after which it may be written again */
    int count, next;
} Slots;

static Slots make_slots(Schedule *s, int64_t wanted, int64_t length, int after)
{
    Slots slots = {.count = wanted < SLOTS ? (int)wanted : SLOTS};
    for (int i = 0; i < slots.count; i++) {
        slots.place[i] = add_scratch(s, length);
        slots.free[i] = after;
    }
    return slots;
}

/* The sum of the ranks looked at so far: where it is, since which step. */
typedef struct {
    Place at;
    int ready, slot; /* the slot that it is in, or -1 */
    bool grows;      /* what comes next is reduced into it; else it is reduced into what comes */
} Sum;

static void add_next(Schedule *s, Slots *slots, Sum *sum, Place at, int64_t length, int ready,
                     int slot)
{
    if (sum->grows) {
        const int done = add_reduce(s, at, sum->at, length, ready);
        depend(s, done, sum->ready);
        sum->ready = done;
        if (slot >= 0)
            slots->free[slot] = done;
        return;
    }
    const int done = add_reduce(s, sum->at, at, length, ready);
    depend(s, done, sum->ready);
    if (sum->slot >= 0)
        slots->free[sum->slot] = done;
    *sum = (Sum){at, done, slot, false};
}

/* One segment of one rank. The sum over children and the rank itself goes from one buffer to the
 * next, so that the order is kept; only a root for which the order is no matter adds up in `to`. */
static int reduce_segment(Schedule *s, const Tree *tree, Slots *slots, Place from, Place to,
                          int64_t length, bool commutative, int tag, int after)
{
    const bool root = tree->parent < 0;
    const int mine = commutative ? 0 : tree->before; /* so many children come before */
    Sum sum = {from, after, -1, false};
    int read = NO_STEP; /* after this step `from` has been read */
    if (root && commutative) {
        sum = (Sum){to, add_copy(s, from, to, length, after), -1, true};
        read = sum.ready;
    }
    for (int i = 0; i <= tree->count; i++) {
        const int slot = slots->count ? slots->next % slots->count : -1;
        if (i == mine && i > 0) {
            const Place own = root ? to : slots->place[slot];
            read = add_copy(s, from, own, length, root ? after : both(s, after, slots->free[slot]));
            add_next(s, slots, &sum, own, length, read, root ? -1 : slot);
            slots->next += !root;
        } else if (i != mine) {
            const int child = tree->count - i - (i < mine);
            const int received = add_receive(s, tree->children[child], tag, slots->place[slot],
                                             length, slots->free[slot]);
            if (i == 0)
                sum = (Sum){slots->place[slot], received, slot, false};
            else
                add_next(s, slots, &sum, slots->place[slot], length, received, slot);
            if (i == 1 && mine == 0 && read == NO_STEP)
                read = sum.ready;
            slots->next++;
        }
    }
    const int ends = root ? add_copy(s, sum.at, to, length, sum.ready)
                          : add_send(s, tree->parent, tag, sum.at, length, sum.ready);
    if (sum.slot >= 0)
        slots->free[sum.slot] = ends;
    return root || !tree->count ? ends : read;
}

int reduce_up(Schedule *s, const Tree *tree, Place from, Place to, int64_t length, int64_t segment,
              bool commutative, int tag, int after, int *ready)
{
    const int first = s->count;
    const Cut c = cut(length, segment);
    Slots slots =
        make_slots(s, (int64_t)c.parts * (tree->count + (tree->before > 0)), c.usual, after);
    for (int i = 0; i < c.parts; i++) {
        const int done = length ? reduce_segment(s, tree, &slots, beyond(from, i * c.usual),
                                                 beyond(to, i * c.usual), cut_length(&c, i),
                                                 commutative, tag + i, after)
                                : after;
        if (ready)
            ready[i] = done;
    }
    return join_since(s, first, after);
}

void signal_along(Schedule *s, Tree tree)
{
    int all = NO_STEP;
    const int first = s->count;
    for (int c = 0; c < tree.count; c++)
        add_signal_receive(s, tree.children[c], 0, NO_STEP);
    all = join_since(s, first, all);
    if (tree.parent >= 0) {
        add_signal(s, tree.parent, 0, all);
        all = add_signal_receive(s, tree.parent, 0, all);
    }
    for (int c = 0; c < tree.count; c++)
        add_signal(s, tree.children[c], 0, all);
    free_tree(&tree);
}
