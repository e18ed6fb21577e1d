/* What a collective algorithm is written against. One file an algorithm, which registers itself:
 *
 *     #include "algorithm.h"
 *     #include "tree.h"
 *
 *     static void generate(Schedule *s, const Problem *p) { ... }
 *
 *     ALGORITHM(binomial, BCAST) = {
 *         .description = "a binomial tree",
 *         .generate = generate,
 *     };
 *
 * `generate` adds the steps of rank p->rank, in time and memory proportional to these steps: it
 * builds nothing for the other ranks. What is left out of the initialiser is zero, and zero is the
 * common case of every field. */
#ifndef RANKWISE_ALGORITHM_H
#define RANKWISE_ALGORITHM_H

#include "network.h"
#include "schedule.h"

typedef enum {
    BCAST,
    REDUCE,
    ALLREDUCE,
    REDUCE_SCATTER,
    GATHER,
    SCATTER,
    ALLGATHER,
    ALLTOALL,
    BARRIER,
    SCAN,
    EXSCAN,
    OPERATIONS
} Operation;

/* A collective operation as one rank calls it.
 *
 * A block is `count` elements, or counts[r] of rank r where `counts` is given (the v-variants;
 * MPI_Reduce_scatter). Blocks are packed in the order of the ranks. INPUT and OUTPUT hold:
 *
 *   bcast           INPUT one block at the root, OUTPUT one at the others (the root never writes)
 *   reduce          INPUT one block, OUTPUT one at the root
 *   allreduce       INPUT one block, OUTPUT one; scan and exscan too
 *   reduce_scatter  INPUT a block of each rank, OUTPUT the own block
 *   gather          INPUT the own block, OUTPUT a block of each rank at the root
 *   scatter         INPUT a block of each rank at the root, OUTPUT the own block
 *   allgather       INPUT the own block, OUTPUT a block of each rank
 *   alltoall        INPUT a block for each rank (send_counts), OUTPUT one of each (counts)
 *   barrier         nothing
 *
 * INPUT is never written. Allreduce, reduce, scan, exscan, gather, scatter and allgather must also
 * be right where INPUT is the part of OUTPUT that MPI_IN_PLACE stands for (gather, scatter and
 * allgather: the own block in it). The first rank's exscan has no output. */
typedef struct {
    Operation operation;
    int rank, ranks, root;
    int64_t count;
    const int64_t *counts;      /* shape (ranks), or NULL */
    const int64_t *send_counts; /* alltoallv alone: shape (ranks), or NULL */
    bool commutative;
    int64_t segment; /* elements in a message of segmented algorithms; 0: the algorithm's choice */
    int fan_out;     /* k of k-nomial trees, messages in flight of throttled ones; 0: its choice */
    int lanes;       /* parallel ways over a long link; 0: its choice */
    int most_chunks; /* of a block, where tags are few; 0: the algorithm's choice */
    int64_t element_bytes;  /* for choices alone; 0: unknown */
    const Network *network; /* who is near whom; NULL: all are alike */
} Problem;

typedef struct Algorithm Algorithm;
struct Algorithm {
    const char *description; /* one line, for people */
    void (*generate)(Schedule *s, const Problem *p);
    /* In place of `generate`, of an algorithm that a file describes (schedule_file.h). */
    void (*generate_fixed)(Schedule *s, const Algorithm *algorithm, const Problem *p);
    const char *commutative_only; /* why; NULL: keeps the order of the ranks where it must */
    bool segmented, fans, lanes;  /* heeds these fields of a problem */
    bool for_networks;            /* makes use of Problem.network */
    /* Of the v-variants every rank must know the counts of all ranks (allgatherv always does). Of
     * alltoallv `counts` is then the matrix, row by row of the senders, shape (ranks, ranks). */
    bool needs_all_counts;
    bool equal_blocks; /* only where counts is NULL */
    bool even_ranks;   /* only for an even number of them, or one */
    /* Why it cannot do this, a constant text; NULL: it can. May be NULL itself. */
    const char *(*objection)(const Problem *p);

    /* Set by ALGORITHM. */
    const char *name;
    Operation operation;
    Algorithm *next;
};

#define ALGORITHM(NAME, OPERATION)                                                                 \
    static Algorithm algorithm_##NAME;                                                             \
    __attribute__((constructor)) static void register_##NAME(void)                                 \
    {                                                                                              \
        algorithm_##NAME.name = #NAME;                                                             \
        algorithm_##NAME.operation = OPERATION;                                                    \
        register_algorithm(&algorithm_##NAME);                                                     \
    }                                                                                              \
    static Algorithm algorithm_##NAME

void register_algorithm(Algorithm *algorithm);
const Algorithm *first_algorithm(void); /* by operation and name */
const Algorithm *find_algorithm(Operation operation, const char *name);
const char *operation_name(Operation operation); /* as MPI calls it, in small letters */

/* The schedule of rank p->rank. `s` must be zero; s->failure says why there is none. */
void make_schedule(Schedule *s, const Algorithm *algorithm, const Problem *p);

/* Elements of the block of a rank, and of all blocks before it: O(1) without counts, else O(ranks)
 * for the latter. */
int64_t block_length(const Problem *p, int rank);
int64_t block_start(const Problem *p, int rank);

/* The elements of part `part` of `parts` nearly equal ones of `count`, and of those before it. */
int64_t part_length(int64_t count, int parts, int part);
int64_t part_start(int64_t count, int parts, int part);

/* The segment that was asked for, else one of about `bytes` bytes, but at most `most` of them in
 * `length` elements: more would make a pipeline no faster, and its schedule long. */
int64_t segment_or(const Problem *p, int64_t length, int64_t bytes, int64_t most);

/* The fan-out that was asked for, or else `usual`. */
static inline int fan_out_or(const Problem *p, int usual)
{
    return p->fan_out ? p->fan_out : usual;
}

/* For Algorithm.objection: a fan-out of one makes no tree. */
const char *needs_a_fan_out_of_two(const Problem *p);

/* Where a broadcast's data are on this rank: the root's INPUT, the others' OUTPUT. */
static inline Place broadcast_place(const Problem *p)
{
    return place(p->rank == p->root ? INPUT_MEMORY : OUTPUT_MEMORY, 0);
}

#endif
