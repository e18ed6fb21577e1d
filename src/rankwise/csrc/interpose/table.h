/* The decision table: which algorithm does which operation, for how many ranks and bytes.
 *
 *     # rankwise overlay 1
 *     bcast      ranks=2-64 bytes=1M-   lanes:lanes=4,segment=32K
 *     allreduce  bytes=-8K sites=2-     multilevel
 *     allreduce  bytes=1M-              file:ring.txt
 *     allreduce                         native
 *
 * The first line that holds and can do it decides; `native`, or no line, is the library's own way.
 * Ranges include both ends, either may be left out, and a lone number is both; K, M and G are
 * powers of 1024. The bytes are those of the message, of one rank's block (the mean of them in
 * allgatherv), of the whole vector in reductions. A file (../schedules/schedule_file.h) is for its
 * number of ranks alone; a relative path begins where the table is. The ranks of gatherv, scatterv
 * and alltoallv do not know each other's bytes: only lines without `bytes` hold there. */
#ifndef RANKWISE_TABLE_H
#define RANKWISE_TABLE_H

#include "../schedules/algorithm.h"

typedef struct {
    int64_t from, to;
} Range;

typedef struct {
    Operation operation;
    Range ranks, bytes, sites;
    const Algorithm *algorithm; /* NULL: the library's own */
    int64_t segment_bytes;
    int fan_out, lanes;
} Rule;

typedef struct {
    Rule *rules;
    int count;
} Table;

/* What is asked of a table. All of it is the same on all ranks. */
typedef struct {
    Operation operation;
    int ranks, sites;
    int64_t bytes; /* -1: not known alike to all ranks */
    bool commutative, equal_blocks;
    bool counts_known; /* a v-variant's, to all ranks; or they can still tell each other */
    bool reproducible; /* sums must not depend on the sites */
} Question;

/* Reads `text`, which `name` is said to hold. Returns false with what is wrong in `error`. */
bool read_table(Table *table, const char *text, const char *name, char *error, size_t room);

/* The rule that holds, or NULL for the library's own way. */
const Rule *find_rule(const Table *table, const Question *question);

/* Whether any rule names an algorithm for this operation, whatever the bytes. */
bool could_replace(const Table *table, Operation operation, int ranks, int sites);

/* Whether any rule for so many ranks depends on sites, by its condition or its algorithm. */
bool asks_for_sites(const Table *table, int ranks);

#endif
