#include "structure.h"
#include "rules.h"
#include <stdlib.h>
#include <string.h>

enum {
    BUCKETS = 1 << 15,
    CANDIDATES = 32 /* earlier places of a node that are looked at */
};

static struct {
    State *s;
    uint64_t flushed;       /* nodes: a place counts from the first one ever, from 1 on */
    uint64_t *last_place;   /* by bucket: where such a node stood last */
    uint64_t *place_before; /* by place in the list: the one before in its bucket */
} g;

bool prepare_structure(State *state)
{
    g.s = state;
    g.last_place = calloc(BUCKETS, sizeof *g.last_place);
    g.place_before = calloc(NODE_ROOM, sizeof *g.place_before);
    return prepare_rules(state) && g.last_place && g.place_before;
}

static uint32_t bucket_of(const Node *node)
{
    return (uint32_t)(mix_node(0, node) >> 49);
}

static const Node *item_at(const Level *level)
{
    return &items_of(level->rule)[level->index];
}

/* Goes down to the call that comes next. */
static void descend(void)
{
    State *s = g.s;
    for (;;) {
        const Node *item = item_at(&s->levels[s->depth - 1]);
        if (!(item->symbol & 1))
            return;
        s->levels[s->depth] = (Level){0, item->symbol >> 1, 0};
        s->depth++;
    }
}

/* The last node is a loop; its next repetition is expected. */
static void enter(uint32_t rule)
{
    g.s->levels[0] = (Level){0, rule, 0};
    g.s->depth = 1;
    descend();
}

uint32_t expected_signature(void)
{
    const State *s = g.s;
    if (s->depth)
        return item_at(&s->levels[s->depth - 1])->symbol >> 1;
    return s->node_count ? s->nodes[s->node_count - 1].symbol >> 1 : NO_RULE;
}

static void advance(void)
{
    State *s = g.s;
    for (;;) {
        Level *level = &s->levels[s->depth - 1];
        if (++level->done < item_at(level)->count)
            break;
        level->done = 0;
        if (++level->index < length_of(level->rule))
            break;
        level->index = 0;
        if (s->depth == 1) {
            s->nodes[s->node_count - 1].count++;
            break;
        }
        s->depth--;
    }
    descend();
}

/* A node that will not change any more can be found. */
static void seal(uint32_t index)
{
    uint64_t *last = &g.last_place[bucket_of(&g.s->nodes[index])];
    g.place_before[index] = *last;
    *last = g.flushed + index + 1;
}

/* Takes back what `seal` did; nodes leave in the reverse order. */
static void unseal(uint32_t index)
{
    g.last_place[bucket_of(&g.s->nodes[index])] = g.place_before[index];
}

/* The last `length` nodes, which stand there twice, become a loop. */
static void fold(uint32_t length)
{
    State *s = g.s;
    const uint32_t first = s->node_count - 2 * length;
    const uint32_t rule = rule_of(&s->nodes[first], length);
    if (rule == NO_RULE)
        return;
    const Node loop = {2, 2 * rule + 1, 0};
    s->busy = 1;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    for (uint32_t i = s->node_count - 1; i-- > first;)
        unseal(i);
    s->node_count = first;
    if (first && s->nodes[first - 1].symbol == loop.symbol) {
        unseal(first - 1);
        s->nodes[first - 1].count += loop.count;
    } else {
        s->nodes[s->node_count++] = loop;
    }
    enter(rule);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    s->busy = 0;
}

static void look_for_loop(void)
{
    const State *s = g.s;
    const uint32_t end = s->node_count - 1;
    uint64_t place = g.last_place[bucket_of(&s->nodes[end])];
    for (int i = 0; i < CANDIDATES && place > g.flushed; i++) {
        const uint32_t at = (uint32_t)(place - g.flushed - 1), length = end - at;
        if (2 * length > s->node_count || length > LONGEST_LOOP)
            return;
        uint32_t k = 0;
        while (k < length && same_node(&s->nodes[end - k], &s->nodes[at - k]))
            k++;
        if (k == length) {
            fold(length);
            return;
        }
        place = g.place_before[at];
    }
}

static bool make_room(void)
{
    const uint32_t half = NODE_ROOM / 2;
    if (g.s->node_count < NODE_ROOM)
        return true;
    g.s->busy = 1;
    if (!flush_nodes(half)) {
        g.s->busy = 0; /* they are as they were */
        return false;
    }
    memmove(g.place_before, g.place_before + half, half * sizeof *g.place_before);
    g.flushed += half;
    g.s->busy = 0;
    return true;
}

/* The last node will not change any more; only now is it known how often it is repeated. */
static void settle(void)
{
    const Node *last = &g.s->nodes[g.s->node_count - 1];
    if (g.s->node_count && (last->count > 1 || last->symbol & 1))
        look_for_loop();
}

static bool place(Node node)
{
    State *s = g.s;
    Node *last = s->node_count ? &s->nodes[s->node_count - 1] : NULL;
    s->depth = 0;
    if (last && last->symbol == node.symbol) {
        last->count += node.count;
    } else {
        if (!make_room())
            return false;
        if (s->node_count)
            seal(s->node_count - 1);
        s->nodes[s->node_count] = node;
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
        s->node_count++;
        look_for_loop();
    }
    last = &s->nodes[s->node_count - 1];
    if (last->symbol & 1)
        enter(last->symbol >> 1);
    return true;
}

static bool append(Node node)
{
    if (g.s->node_count && g.s->nodes[g.s->node_count - 1].symbol != node.symbol)
        settle();
    return place(node);
}

/* What was done of a repetition that goes on otherwise becomes nodes of its own. */
static bool leave_loop(void)
{
    Level levels[DEEPEST_LOOP];
    const uint32_t depth = g.s->depth;
    bool written = true;
    memcpy(levels, g.s->levels, depth * sizeof *levels);
    g.s->busy = 1;
    for (uint32_t i = 0; i < depth && written; i++) {
        const Node *items = items_of(levels[i].rule);
        for (uint32_t k = 0; k < levels[i].index && written; k++)
            written = append(items[k]);
        const Node partial = {levels[i].done, items[levels[i].index].symbol, 0};
        if (written && partial.count)
            written = append(partial);
        g.s->busy = 1; /* a fold has cleared it */
    }
    g.s->busy = 0;
    return written;
}

/* Whether the loop at the end goes on with this call. */
static bool goes_on(uint32_t signature)
{
    if (!g.s->depth || expected_signature() != signature)
        return false;
    advance();
    return true;
}

bool append_call(uint32_t signature)
{
    State *s = g.s;
    if (goes_on(signature))
        return true;
    if (s->depth && !leave_loop())
        return false;
    if (goes_on(signature)) /* leaving has ended in another loop, of which this is the beginning */
        return true;
    if (s->node_count && s->nodes[s->node_count - 1].symbol != 2 * signature) {
        settle();
        if (goes_on(signature))
            return true;
    }
    return place((Node){1, 2 * signature, 0});
}

bool structure_is_full(void)
{
    return rules_are_full();
}

bool end_structure(void)
{
    if ((g.s->depth && !leave_loop()) || !flush_nodes(g.s->node_count))
        return false;
    g.flushed = g.s->depth = 0;
    memset(g.last_place, 0, BUCKETS * sizeof *g.last_place);
    forget_rules();
    return true;
}
