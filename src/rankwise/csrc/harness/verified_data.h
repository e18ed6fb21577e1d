/* The data that a benchmark moves, and how --verify checks it. A part of kernel.h. */
#ifndef RANKWISE_VERIFIED_DATA_H
#define RANKWISE_VERIFIED_DATA_H

#include <stddef.h>

typedef struct Cell Cell;

/* How many blocks a buffer holds. A block is one message: `count` elements of `type`. Of what is
 * sent, BLOCK_PER_MESSAGE is one block for all messages, as OSU has it, unless data are verified:
 * then each message is another one. */
typedef enum {
    NO_BLOCK,
    ONE_BLOCK,
    TWO_BLOCKS,
    BLOCK_PER_RANK,
    BLOCK_PER_MESSAGE,
    BLOCK_PER_NEIGHBOUR,
    BLOCK_PER_THREAD
} Blocks;

/* What a benchmark sends and receives, so that --verify can check it: `fill` writes this rank's
 * send buffer (fill_block, fill_terms), `check` says what its receive buffer must hold
 * (expect_block, expect_reduction; each place once). Both are called on every rank. Beside that the
 * harness looks whether the send buffer is as it was, and whether anything was written behind the
 * receive buffer or to a part of it that `check` does not expect; in a mock-up (GUIDELINE) only the
 * former two. */
typedef struct {
    Blocks send, receive;
    void (*fill)(Cell *c);
    void (*check)(Cell *c);
} Data;

/* The data of the usual benchmarks (data.c). */
extern const Data one_way_data;   /* from the leading rank of a pair to its partner */
extern const Data both_ways_data; /* both ranks of a pair to each other */
extern const Data window_one_way_data, window_both_ways_data; /* a window of such messages */
extern const Data broadcast_data; /* the root's c->send to c->receive of the others */
extern const Data scatter_data, gather_data, allgather_data, alltoall_data; /* `unequal` too */
extern const Data reduce_data, allreduce_data, reduce_scatter_data;
extern const Data reduce_scatter_block_data, scan_data, exscan_data;

/* For data of one's own (pattern.c): a block's pattern belongs to (source, destination,
 * repetition); EVERY_RANK is the destination of what goes to all. message_to tells several messages
 * to one rank apart. The _at functions take any memory. What was expected and found is poisoned
 * again, so that expect_untouched finds what else was written. Behind each buffer of a cell there
 * are GUARD_BYTES more, which no operation may write. */
enum { EVERY_RANK = -1, GUARD_BYTES = 64 };
int message_to(const Cell *c, int destination, int message);
char *block_at(const Cell *c, char *buffer, int block);
void fill_block(Cell *c, int block, int destination);
void fill_at(const Cell *c, char *target, int elements, int destination);
void expect_block(Cell *c, int block, int source, int destination);
void expect_at(Cell *c, char *block, int elements, int source, int destination);
void expect_untouched(Cell *c, const char *memory, size_t bytes); /* all of it poison */

/* For reductions: this rank's terms, and the result over ranks 0..last_rank of `items` items from
 * `first_item` on, in the receive buffer. */
void fill_terms(Cell *c);
void expect_reduction(Cell *c, int last_rank, int first_item, int items);

void fill_terms_at(const Cell *c, char *target, int items); /* in any memory */
/* One block in any memory: the terms of one rank, or their reduction with those of another one (-1:
 * none). */
void expect_terms_at(Cell *c, char *block, int rank, int other);

/* The data is wrong; printf-like, says how. The expect functions call it. */
void report_wrong(Cell *c, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
