/* A rank's files: `rank-N.trace`, to which blocks are appended, and `rank-N.open`, which is mapped
 * into memory and holds what no block has yet. The kernel keeps both when the rank is killed; the
 * second goes when the rank ends well. docs/traces.md describes them for readers. */
#ifndef RANKWISE_TRACER_STREAM_H
#define RANKWISE_TRACER_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    NODE_ROOM = 16384,
    LONGEST_LOOP = NODE_ROOM / 2, /* in nodes */
    DEEPEST_LOOP = 32,
    DEFINITION_ROOM = 1 << 18,
    TIME_ROOM = 1 << 16,
    MOST_FUNCTIONS = 1024,
    MOST_SIGNATURES = 32768,
    NUMBER_BYTES = 10 /* of the longest one that is written */
};

typedef struct {
    uint64_t count;
    uint32_t symbol; /* 2 * signature, or 2 * rule + 1 */
    uint32_t unused;
} Node;

/* Where the program is within the loop that is the last node. */
typedef struct {
    uint64_t done; /* repetitions of the item `index` of `rule` */
    uint32_t rule, index;
} Level;

/* Calls that had no effect: tests and probes that found nothing. */
typedef struct {
    uint64_t calls, nanoseconds;
} Idle;

typedef struct {
    uint64_t calls, duration, gap; /* nanoseconds; `gap` before each call */
    uint32_t least, most;
} Statistics;

typedef struct {
    char magic[8];
    uint32_t version, busy; /* busy: `nodes` are just being changed */
    uint64_t stream_bytes;  /* of complete blocks */
    uint64_t events, signatures;
    int64_t last_exit;
    uint32_t definition_bytes, time_bytes, node_count, depth;
    uint32_t stopped; /* an errno: nothing was recorded after it */
    uint32_t unused;
    Level levels[DEEPEST_LOOP];
    Idle idle[MOST_FUNCTIONS];
    Node nodes[NODE_ROOM];
    unsigned char definitions[DEFINITION_ROOM];
    unsigned char times[TIME_ROOM];
    Statistics statistics[]; /* MOST_SIGNATURES of them, if they are kept */
} State;

/* 0 or an errno. */
int open_stream(const char *folder, int rank, bool statistics, State **state);
/* False: could not be written, which has been said, and nothing more may be recorded. */
bool write_block(char type, const void *data, size_t bytes);
bool flush_definitions(void);
bool flush_times(void);
bool flush_nodes(uint32_t count); /* the first ones */
bool flush_statistics(void);
void close_stream(void);

static inline unsigned char *put_number(unsigned char *at, uint64_t number)
{
    for (; number >= 128; number >>= 7)
        *at++ = (unsigned char)(number | 128);
    *at++ = (unsigned char)number;
    return at;
}

static inline uint64_t zigzag(int64_t number)
{
    return (uint64_t)number << 1 ^ (number < 0 ? UINT64_MAX : 0);
}

#endif
