#include "contexts.h"
#include "gateway.h"
#include <stdlib.h>

enum { MOST_CONTEXTS = 1 << 20, CONTEXT_BUCKETS = 256, MOST_OF_A_RANK = 1 << 30 };

Context *contexts;
static Context *in_bucket[CONTEXT_BUCKETS];
static int context_count;

Context *context_of(int number)
{
    Context **bucket = &in_bucket[(unsigned)number % CONTEXT_BUCKETS], *c = *bucket;
    while (c && c->number != number)
        c = c->next_in_bucket;
    if (c || context_count >= MOST_CONTEXTS)
        return c;
    c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    c->number = number;
    c->next_in_bucket = *bucket;
    *bucket = c;
    c->older = contexts;
    contexts = c;
    context_count++;
    return c;
}

void free_context(Context *c)
{
    Context **place = &in_bucket[(unsigned)c->number % CONTEXT_BUCKETS];
    while (*place != c)
        place = &(*place)->next_in_bucket;
    *place = c->next_in_bucket;
    for (place = &contexts; *place != c;)
        place = &(*place)->older;
    *place = c->older;
    context_count--;
    free(c);
}

int next_mixed = 1;

int take_mixed(int agreed)
{
    next_mixed = agreed + 1;
    return -2 * agreed;
}

int new_number(void)
{
    static int made;
    const int64_t number = (int64_t)made++ * world.ranks + world.rank;
    return number < MOST_OF_A_RANK - 1 ? 2 + 2 * (int)number : 0;
}
