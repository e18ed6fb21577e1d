#include "pipeline.h"
#include <stdlib.h>

enum {
    /* Below the eager limits of most MPIs, 64 KiB with the header; smaller where a message would
     * else not have one chunk a lane. */
    LARGE_CHUNK_BYTES = 60 * 1024,
    SMALL_CHUNK_BYTES = 32 * 1024,
    LARGE_BYTES = 512 * 1024,
    UNKNOWN_ELEMENT_BYTES = 8,
    MOST_CHUNKS = 2048, /* tags are few */
    CHUNKS_AHEAD = 40,  /* a long link's round trip at 1 Gbit/s, and the peers' lateness */
};

/* Tags of one chunk of an allreduce; those of a reduce are up alone. */
enum { UP, ACROSS, DOWN, KINDS };

int chunks_within(int tags, int ranks)
{
    const int most = tags / KINDS / ranks;
    return most > 1 ? most : 1;
}

int chunks_of(const Problem *p, int64_t count)
{
    const int64_t bytes = p->element_bytes > 0 ? p->element_bytes : UNKNOWN_ELEMENT_BYTES;
    const int64_t usual = count >= LARGE_BYTES / bytes ? LARGE_CHUNK_BYTES : SMALL_CHUNK_BYTES;
    int64_t length = p->segment > 0 ? p->segment : usual / bytes;
    if (length < 1)
        length = 1;
    const int64_t chunks = (count + length - 1) / length;
    const int most =
        p->most_chunks > 0 && p->most_chunks < MOST_CHUNKS ? p->most_chunks : MOST_CHUNKS;
    return (int)(chunks < most ? chunks : most);
}

bool open_pipeline(Pipeline *f, Schedule *s, int lanes, int64_t count, int chunks, int ahead)
{
    *f = (Pipeline){.lanes = lanes, .count = count, .chunks = count > 0 ? chunks : 0};
    const int rounds = (ahead ? ahead : CHUNKS_AHEAD) / lanes;
    const int needed = (f->chunks + lanes - 1) / lanes;
    const int window = rounds < 2 ? 2 : rounds;
    f->ahead = lanes * (needed < window ? needed + !needed : window);
    f->lane = calloc((size_t)lanes, sizeof *f->lane);
    f->gate = malloc((size_t)f->ahead * sizeof *f->gate);
    if (!f->lane || !f->gate) {
        refuse(s, "no memory for the lanes of a schedule");
        close_pipeline(f);
        return false;
    }
    for (int i = 0; i < f->ahead; i++)
        f->gate[i] = NO_STEP;
    return true;
}

void close_pipeline(Pipeline *f)
{
    for (int i = 0; f->lane && i < f->lanes; i++) {
        free_tree(&f->lane[i].tree);
        free(f->lane[i].partner);
    }
    free(f->lane);
    free(f->gate);
    *f = (Pipeline){0};
}

void set_partners(Lane *lane, Schedule *s, const Sites *sites, int asked_lanes, int number,
                  int rank)
{
    const int count = sites->groups[0], site = site_at(sites, rank);
    if (count < 2 || lane_end(sites, site, asked_lanes, number) != rank)
        return;
    lane->partner = malloc((size_t)count * sizeof *lane->partner);
    if (!lane->partner) {
        refuse(s, "no memory for the lanes of a schedule");
        return;
    }
    lane->partners = count;
    lane->own = site;
    for (int other = 0; other < count; other++)
        lane->partner[other] = lane_end(sites, other, asked_lanes, number);
}

/* One chunk of one lane. */
typedef struct {
    Lane *lane;
    int64_t start, length;
    int *gate; /* before: what the chunk waits for; after: what later ones wait for */
    int tag;
    Place slots;
    int after; /* the step by which a sum is ready */
} Chunk;

static Chunk chunk_at(const Pipeline *f, int i, int tag)
{
    Lane *lane = &f->lane[i % f->lanes];
    Chunk c = {
        .lane = lane,
        .start = part_start(f->count, f->chunks, i),
        .length = part_length(f->count, f->chunks, i),
        .gate = &f->gate[i % f->ahead],
        .tag = tag,
    };
    const int64_t longest = part_length(f->count, f->chunks, 0);
    const int arrivals = lane->tree.count + lane->partners;
    c.slots = beyond(lane->slots, i % f->ahead / f->lanes * arrivals * longest);
    return c;
}

/* The slot of the message from a child, or after these from a partner. */
static Place slot(const Pipeline *f, const Chunk *c, int number)
{
    return beyond(c->slots, number * part_length(f->count, f->chunks, 0));
}

static void make_slots(Schedule *s, Pipeline *f)
{
    const int64_t longest = f->chunks ? part_length(f->count, f->chunks, 0) : 0;
    for (int i = 0; i < f->lanes; i++) {
        Lane *lane = &f->lane[i];
        const int arrivals = lane->tree.count + lane->partners;
        lane->slots = add_scratch(s, f->ahead / f->lanes * arrivals * longest);
    }
}

static void send_to_children(Schedule *s, const Chunk *c, Place at, int tag, int after)
{
    for (int i = 0; i < c->lane->tree.count; i++)
        add_send(s, c->lane->tree.children[i], tag, at, c->length, after);
}

void hand_out(Schedule *s, Pipeline *f, Place at, int tag)
{
    for (int i = 0; i < f->chunks; i++) {
        const Chunk c = chunk_at(f, i, tag + i);
        const Tree *tree = &c.lane->tree;
        const Place here = beyond(at, c.start);
        int ready = *c.gate;
        if (tree->parent >= 0)
            ready = add_receive(s, tree->parent, c.tag, here, c.length, ready);
        send_to_children(s, &c, here, c.tag, ready);
        *c.gate = tree->parent < 0 && tree->count ? s->count - 1 : ready;
    }
}

/* The children's sums arrive, and are added to the rank's own: at a root in `output`, elsewhere in
 * the first of the slots, or a leaf's input is the sum. Returns where. */
static Place add_arrivals(Schedule *s, const Pipeline *f, Chunk *c, Place input, Place output)
{
    const Tree *tree = &c->lane->tree;
    const int first = s->count;
    for (int i = 0; i < tree->count; i++)
        add_receive(s, tree->children[i], c->tag, slot(f, c, i), c->length, *c->gate);
    Place sum = input;
    int next = 0;
    c->after = *c->gate;
    if (tree->parent < 0) {
        sum = output;
        c->after = add_copy(s, input, sum, c->length, *c->gate);
    } else if (tree->count) {
        sum = slot(f, c, next++);
        c->after = add_reduce(s, input, sum, c->length, first);
    }
    for (; next < tree->count; next++) {
        c->after = add_reduce(s, slot(f, c, next), sum, c->length, c->after);
        depend(s, c->after, first + next);
    }
    return sum;
}

void sum_up(Schedule *s, Pipeline *f, Place input, Place output, int tag)
{
    make_slots(s, f);
    for (int i = 0; i < f->chunks; i++) {
        Chunk c = chunk_at(f, i, tag + i);
        const Place sum = add_arrivals(s, f, &c, beyond(input, c.start), beyond(output, c.start));
        *c.gate = c.after;
        if (c.lane->tree.parent >= 0)
            *c.gate = add_send(s, c.lane->tree.parent, c.tag, sum, c.length, c.after);
    }
}

/* All partners add up in one order, so that all get the same bits: the sum so far moves from one
 * arrival to the next until it meets the own, where it stays. */
static void exchange(Schedule *s, const Pipeline *f, Chunk *c, Place own)
{
    const Lane *lane = c->lane;
    const int children = lane->tree.count, first = s->count, ready = c->after;
    for (int i = 0; i < lane->partners; i++)
        if (i != lane->own)
            add_receive(s, lane->partner[i], c->tag + ACROSS, slot(f, c, children + i), c->length,
                        *c->gate);
    for (int i = 1; i < lane->partners; i++) {
        const int other = (lane->own + i) % lane->partners;
        add_send(s, lane->partner[other], c->tag + ACROSS, own, c->length, ready);
    }
    const int last = s->count;
    Place sum = lane->own == 0 ? own : slot(f, c, children);
    for (int i = 1; i < lane->partners; i++) {
        const Place next = i == lane->own ? own : slot(f, c, children + i);
        const bool moves = i <= lane->own;
        c->after = add_reduce(s, moves ? sum : next, moves ? next : sum, c->length, c->after);
        for (int step = first; i == 1 && step < last; step++)
            depend(s, c->after, step);
        sum = moves ? next : sum;
    }
}

void sum_up_and_hand_out(Schedule *s, Pipeline *f, Place input, Place output)
{
    make_slots(s, f);
    for (int i = 0; i < f->chunks; i++) {
        Chunk c = chunk_at(f, i, KINDS * i);
        const Tree *tree = &c.lane->tree;
        const Place result = beyond(output, c.start);
        const Place sum = add_arrivals(s, f, &c, beyond(input, c.start), result);
        if (tree->parent >= 0) {
            c.after = add_send(s, tree->parent, c.tag, sum, c.length, c.after);
            c.after = add_receive(s, tree->parent, c.tag + DOWN, result, c.length, c.after);
        } else if (c.lane->partners > 1) {
            exchange(s, f, &c, result);
        }
        send_to_children(s, &c, result, c.tag + DOWN, c.after);
        *c.gate = c.after;
    }
}
