#include "signatures.h"
#include <stdlib.h>
#include <string.h>

enum { BUCKETS = 1 << 16, WORD_ROOM = 1 << 20 };

typedef struct {
    uint32_t first, length, next; /* `next`: in its bucket, from 1 on */
} Signature;

static struct {
    State *s;
    Signature *signatures;
    uint32_t *bucket, words;
    int64_t *word;
} g;

bool prepare_signatures(State *state)
{
    g.s = state;
    g.signatures = calloc(MOST_SIGNATURES, sizeof *g.signatures);
    g.bucket = calloc(BUCKETS, sizeof *g.bucket);
    g.word = calloc(WORD_ROOM, sizeof *g.word);
    return g.signatures && g.bucket && g.word;
}

static bool is(const Signature *known, const int64_t *row, uint32_t length)
{
    if (known->length != length)
        return false;
    const int64_t *word = g.word + known->first;
    for (uint32_t i = 0; i < length; i++)
        if (word[i] != row[i])
            return false;
    return true;
}

static uint32_t add(const int64_t *row, uint32_t length, uint32_t *bucket)
{
    State *s = g.s;
    const uint32_t id = (uint32_t)s->signatures;
    unsigned char *at = s->definitions + s->definition_bytes;
    *at++ = 'S';
    at = put_number(at, length);
    for (uint32_t i = 0; i < length; i++)
        at = put_number(at, zigzag(row[i]));
    s->definition_bytes = (uint32_t)(at - s->definitions);
    memcpy(g.word + g.words, row, length * sizeof *row);
    g.signatures[id] = (Signature){g.words, length, *bucket};
    g.words += length;
    *bucket = id + 1;
    s->signatures++;
    return id;
}

uint32_t signature_of(const int64_t *row, int length, uint32_t guess)
{
    uint64_t hash = (uint64_t)length;
    if (guess < g.s->signatures && is(&g.signatures[guess], row, (uint32_t)length))
        return guess;
    for (int i = 0; i < length; i++)
        hash = (hash ^ (uint64_t)row[i] ^ hash >> 31) * 0x9E3779B97F4A7C15u;
    uint32_t *bucket = &g.bucket[hash >> 48];
    for (uint32_t id = *bucket; id; id = g.signatures[id - 1].next)
        if (is(&g.signatures[id - 1], row, (uint32_t)length))
            return id - 1;
    return add(row, (uint32_t)length, bucket);
}

bool signatures_are_full(void)
{
    return g.s->signatures == MOST_SIGNATURES || g.words > WORD_ROOM - LONGEST_SIGNATURE;
}

void forget_signatures(void)
{
    g.s->signatures = 0;
    g.words = 0;
    memset(g.bucket, 0, BUCKETS * sizeof *g.bucket);
}
