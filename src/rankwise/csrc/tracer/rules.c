#include "rules.h"
#include <stdlib.h>
#include <string.h>

enum { MOST_RULES = 16384, ITEM_ROOM = 1 << 18, BUCKETS = 1 << 15 };

struct RuleStore rule_store;

bool prepare_rules(State *state)
{
    rule_store.s = state;
    rule_store.rules = calloc(MOST_RULES, sizeof *rule_store.rules);
    rule_store.bucket = calloc(BUCKETS, sizeof *rule_store.bucket);
    rule_store.items = calloc(ITEM_ROOM, sizeof *rule_store.items);
    return rule_store.rules && rule_store.bucket && rule_store.items;
}

static uint32_t depth_of(const Node *nodes, uint32_t length)
{
    uint32_t depth = 0;
    for (uint32_t i = 0; i < length; i++)
        if (nodes[i].symbol & 1 && rule_store.rules[nodes[i].symbol >> 1].depth > depth)
            depth = rule_store.rules[nodes[i].symbol >> 1].depth;
    return depth + 1;
}

static bool write_rule(const Node *nodes, uint32_t length)
{
    State *s = rule_store.s;
    if (s->definition_bytes + (size_t)NUMBER_BYTES * (2 * (size_t)length + 2) > DEFINITION_ROOM)
        return false;
    unsigned char *at = s->definitions + s->definition_bytes;
    *at++ = 'R';
    at = put_number(at, length);
    for (uint32_t i = 0; i < length; i++) {
        at = put_number(at, nodes[i].symbol);
        at = put_number(at, nodes[i].count);
    }
    s->definition_bytes = (uint32_t)(at - s->definitions);
    return true;
}

uint32_t rule_of(const Node *nodes, uint32_t length)
{
    uint64_t hash = length;
    for (uint32_t i = 0; i < length; i++)
        hash = mix_node(hash, &nodes[i]);
    uint32_t *bucket = &rule_store.bucket[hash >> 49];
    for (uint32_t id = *bucket; id; id = rule_store.rules[id - 1].next) {
        const Rule *rule = &rule_store.rules[id - 1];
        uint32_t i = 0;
        while (rule->length == length && i < length &&
               same_node(&nodes[i], &rule_store.items[rule->first + i]))
            i++;
        if (i == length)
            return id - 1;
    }
    const uint32_t depth = depth_of(nodes, length);
    if (rule_store.rule_count == MOST_RULES || rule_store.item_count + length > ITEM_ROOM ||
        depth >= DEEPEST_LOOP || !write_rule(nodes, length))
        return NO_RULE;
    memcpy(&rule_store.items[rule_store.item_count], nodes, length * sizeof *nodes);
    rule_store.rules[rule_store.rule_count] = (Rule){rule_store.item_count, length, depth, *bucket};
    rule_store.item_count += length;
    *bucket = ++rule_store.rule_count;
    return rule_store.rule_count - 1;
}

bool rules_are_full(void)
{
    return rule_store.rule_count == MOST_RULES || rule_store.item_count > ITEM_ROOM - LONGEST_LOOP;
}

void forget_rules(void)
{
    rule_store.rule_count = rule_store.item_count = 0;
    memset(rule_store.bucket, 0, BUCKETS * sizeof *rule_store.bucket);
}
