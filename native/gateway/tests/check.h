/* What a test in C needs: a claim that can fail, the count of those that did, and numbers that are
 * random and always the same. */
#ifndef CHECK_H
#define CHECK_H

#include <stdint.h>
#include <stdio.h>

static int failures;

#define CHECK(claim)                                                                               \
    do {                                                                                           \
        if (!(claim) && ++failures <= 20)                                                          \
            fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #claim);                  \
    } while (0)

static uint64_t random_state = 7;

/* From 0 to `below` - 1. */
static inline int draw(int below_this)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (int)(random_state % (uint64_t)below_this);
}

#endif
