/* Bodies of loops, each stored once, with a number. */
#ifndef RANKWISE_TRACER_RULES_H
#define RANKWISE_TRACER_RULES_H

#include "stream.h"

#define NO_RULE UINT32_MAX

typedef struct {
    uint32_t first, length, depth, next; /* `next`: in its bucket, from 1 on */
} Rule;

extern struct RuleStore {
    State *s;
    Rule *rules;
    uint32_t rule_count, item_count, *bucket;
    Node *items;
} rule_store;

/* False: no memory. */
bool prepare_rules(State *state);
/* The rule with these items, or NO_RULE: there is no room for another one. */
uint32_t rule_of(const Node *nodes, uint32_t length);
bool rules_are_full(void);
void forget_rules(void);

static inline const Node *items_of(uint32_t rule)
{
    return &rule_store.items[rule_store.rules[rule].first];
}

static inline uint32_t length_of(uint32_t rule)
{
    return rule_store.rules[rule].length;
}

static inline bool same_node(const Node *a, const Node *b)
{
    return a->symbol == b->symbol && a->count == b->count;
}

static inline uint64_t mix_node(uint64_t hash, const Node *node)
{
    hash = (hash ^ node->symbol) * 0x9E3779B97F4A7C15u;
    return (hash ^ node->count ^ hash >> 29) * 0xBF58476D1CE4E5B9u;
}

#endif
