/* What a benchmark is written against. A benchmark is one file, which registers itself:
 *
 *     #include "kernel.h"
 *
 *     static void run(Cell *c)
 *     {
 *         MPI_Bcast(c->send, c->count, c->type, c->root, c->comm);
 *     }
 *
 *     KERNEL(bcast) = {
 *         .category = COLLECTIVE,
 *         .description = "one rank's data to every rank",
 *         .data = &broadcast_data,
 *         .run = run,
 *     };
 *
 * The harness finds the ranks, sizes the buffers, starts all ranks at one moment, repeats, times,
 * verifies and writes the samples. `run` is one operation on one rank and holds no timing. What is
 * left out of the designated initialiser is zero, and zero is the common case of every field.
 */
#ifndef RANKWISE_KERNEL_H
#define RANKWISE_KERNEL_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct Cell Cell;
typedef struct Kernel Kernel;
typedef struct Job Job; /* the harness's own */

enum { TAG = 7 }; /* for the messages of a benchmark; c->comm is the benchmark's own */

/* A GUIDELINE does the work of another benchmark by other calls: a mock-up, measured only when
 * it is named, to which that benchmark is held. A SCHEDULE does the work of a collective by
 * messages of ours; the harness makes one of each algorithm in csrc/schedules. A PATTERN is made of
 * its own name (flow_names.c). */
typedef enum {
    POINT_TO_POINT,
    COLLECTIVE,
    NONBLOCKING,
    PERSISTENT,
    NEIGHBOURHOOD,
    ONE_SIDED,
    START_UP,
    FILES,
    GUIDELINE,
    SCHEDULE,
    PATTERN,
    BASELINE,
    HARNESS
} Category;

/* Which ranks take part. `run` is not called on a rank that is left out. */
typedef enum {
    EVERYONE,   /* all ranks */
    ENDS,       /* the first and the last rank, each the other's partner */
    HALVES,     /* rank i of the lower half with i + ranks/2; of an odd number the last is idle */
    FIRST_ALONE /* rank 0 */
} Pairing;

/* Whose clock gives a sample: last exit - first entry over all ranks, or one rank's own time. */
typedef enum { BY_ALL_RANKS, BY_FIRST_RANK, BY_LAST_RANK } Timing;

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

/* Which ranks can find their input where their output goes (--in-place): see input_of. */
typedef enum { NEVER_IN_PLACE, IN_PLACE, IN_PLACE_AT_ROOT } InPlace;

/* How an operation on another rank's memory is begun and completed (--sync): see one_sided.h. */
typedef enum { FLUSH, FLUSH_LOCAL, LOCK, FENCE, POST_START } Sync;

/* Who is whose neighbour (--topology): see neighbours.h. */
typedef enum { CARTESIAN, GRAPH } Topology;

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

/* What a benchmark can read of its connection, on the rank that sends (tcp.h has some). */
enum { MOST_GAUGES = 4 };
typedef struct {
    int count;
    const char *quantities[MOST_GAUGES];
    void (*read)(Cell *c, double values[MOST_GAUGES]);
} Gauges;

enum { MOST_THREADS = 64, MOST_NEIGHBOURS = 32 };

/* One of these per benchmark, defined with KERNEL(name) = {...}; */
struct Kernel {
    Category category;
    const char *description; /* one line, for people */
    const Data *data;        /* NULL: moves nothing that could be checked */
    Blocks scratch;          /* memory beside the data, in c->scratch */
    void (*run)(Cell *c);    /* one operation */

    /* A nonblocking operation, in place of `run`: only starts it. The harness waits for it and adds
     * the series `compute` and `total`. */
    void (*start)(Cell *c, MPI_Request *request);

    /* Makes the persistent requests of an operation in c->requests and returns how many. Called
     * before a repetition, outside its time, wherever the root or the buffers have changed; `run`
     * (or `start`: start_prepared) then starts them. */
    int (*prepare)(Cell *c);

    /* What happens once a launch, in place of `run`: the seconds it took on this rank. The sample
     * is the longest of all ranks. */
    double (*once)(Cell *c);

    /* Once per cell and rank, around all its repetitions. A setup that cannot go on calls
     * fail_cell; teardown follows all the same. */
    void (*setup)(Cell *c);
    void (*teardown)(Cell *c);

    Pairing pairing;
    Timing timing;
    bool synchronises; /* a barrier: nobody leaves before the last has come, which is verified */
    bool batched;      /* may run back to back: no rank can run ahead of the others without bound */
    int messages_per_run; /* one after another (ping-pong: 2); 0 means 1 */
    bool windowed;        /* one `run` sends c->window messages; overrides `messages_per_run` */
    /* A stream: `run` is one message from the first to the last rank (pairing ENDS), and is called
     * for --messages of them without a barrier between. Samples are from arrival to arrival. */
    bool streamed;
    bool fresh;           /* a stream over a connection that nothing has used before */
    bool fans;            /* of `windowed`: the window is divided among all ranks but the first */
    InPlace in_place;     /* of which ranks the input may be where the output goes */
    const Gauges *gauges; /* of a stream: read after each message; NULL: none */
    int moves; /* blocks that one operation of one pair moves, for bandwidth; 0: no meaning */

    int min_ranks;   /* 0 means 1 */
    bool even_ranks; /* only for an even number of ranks */
    bool unsized;    /* has no message (barrier): only size 0 */
    bool plain_data; /* takes no derived datatypes */
    bool reduces;    /* applies c->op: `byte` becomes float, no derived datatypes */
    bool unequal;    /* blocks are unequal with the mean `count`: use c->counts, c->displacements */
    bool whole;      /* takes all ranks of the launch: not on groups of them */
    const char *unsupported; /* why this build cannot run it; NULL: it can */

    /* Set by KERNEL. */
    const char *name;
    Kernel *next;
};

/* The datatype of a message: `items` basic items at `offsets` in each `extent` bytes. */
typedef struct {
    MPI_Datatype type, basic;
    const char *datatype;
    size_t item_bytes;
    int items;
    size_t offsets[4], extent;
} Element;

enum { FAILURE_BYTES = 256 };

/* One benchmark at one size on this rank. Benchmarks read it; they write `state` alone. */
struct Cell {
    const Kernel *kernel;
    size_t size_bytes; /* as asked; payload_bytes is this, rounded up to whole elements */
    size_t payload_bytes;

    MPI_Comm comm;   /* of all ranks, or with --groups of this rank's group */
    int rank, ranks; /* in it */
    int partner;     /* the other rank of the pair; -1 without one */
    bool leads;      /* the lower rank of the pair */
    bool active;     /* this rank takes part */
    int root;        /* of this repetition */

    char *send, *receive; /* the buffers of this repetition (--cold-cache moves them) */
    size_t send_bytes, receive_bytes;
    char *scratch; /* what the benchmark keeps between its operations */
    size_t scratch_bytes;
    int count; /* elements in a block */
    MPI_Datatype type;
    MPI_Op op;
    int *counts, *displacements; /* elements of each block and before it, shape (ranks) */

    int window;            /* messages in flight in windowed benchmarks */
    MPI_Request *requests; /* shape (2 x window) */
    int neighbours;        /* of each rank, in neighbourhood collectives */
    int threads;           /* of each rank */
    bool in_place;
    Sync sync;
    Topology topology;
    const char *folder; /* for files */

    char *pool; /* all send and receive buffers; the same layout on every rank */
    size_t pool_bytes;
    void *state; /* the benchmark's own, from setup to teardown */

    Job *job; /* for end_job */

    /* The harness's own; benchmarks leave these alone. */
    Element element;
    const char *congestion_control; /* of plain TCP connections; "": the system's */
    int regions, region;            /* buffer pairs in the pool, and the one in use */
    int repetition;                 /* decides the data and the root */
    bool verifies;                  /* data are checked, nothing is timed */
    double entry_seconds;
    double *records;       /* the moments of its repetitions or messages */
    int warmed_up;         /* operations that have run, */
    double warmup_seconds; /* and took on the slowest rank */
    int prepared;          /* persistent requests, made for these: */
    int prepared_root;
    const char *prepared_buffer;
    char failure[FAILURE_BYTES]; /* empty: all is well */
    bool wrong_data, refused;
};

#define KERNEL(NAME)                                                                               \
    static Kernel kernel_##NAME;                                                                   \
    __attribute__((constructor)) static void register_##NAME(void)                                 \
    {                                                                                              \
        kernel_##NAME.name = #NAME;                                                                \
        register_kernel(&kernel_##NAME);                                                           \
    }                                                                                              \
    static Kernel kernel_##NAME

void register_kernel(Kernel *kernel);

/* For a function that stands in `#if MPI_VERSION >= 3`: itself, or NULL and the reason for
 * `.unsupported`. */
#define TEXT_OF(X) #X
#define TEXT(X) TEXT_OF(X)
#if MPI_VERSION >= 3
#define NEEDS_MPI3 NULL
#define MPI3_ONLY(FUNCTION) FUNCTION
#else
#define NEEDS_MPI3 "needs MPI 3.0; this library has MPI " TEXT(MPI_VERSION) "." TEXT(MPI_SUBVERSION)
#define MPI3_ONLY(FUNCTION) NULL
#endif

/* The same for MPI 4.0, some of which Open MPI 5 has without calling itself so. */
#if MPI_VERSION >= 4 || (defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5)
#define HAS_MPI4 1
#define NEEDS_MPI4 NULL
#define MPI4_ONLY(FUNCTION) FUNCTION
#else
#define HAS_MPI4 0
#define NEEDS_MPI4 "needs MPI 4.0; this library has MPI " TEXT(MPI_VERSION) "." TEXT(MPI_SUBVERSION)
#define MPI4_ONLY(FUNCTION) NULL
#endif

/* MPICH before 5.0 and Intel MPI, which counts as MPICH 3.4, move wrong data or fail where these
 * are started again: allgather, bcast, gather and scatter (MPICH's issue 7078, its pull request
 * 7550). */
#if defined(MPICH_NUMVERSION) && MPICH_NUMVERSION < 50000000
#define NEEDS_RESTARTABLE                                                                          \
    "its persistent allgather, bcast, gather and scatter go wrong when they are started again"
#else
#define NEEDS_RESTARTABLE NEEDS_MPI4
#endif

/* What a collective is given as its buffers: with --in-place one of them is MPI_IN_PLACE. */
static inline bool is_in_place(const Cell *c)
{
    return c->in_place && (c->kernel->in_place == IN_PLACE ||
                           (c->kernel->in_place == IN_PLACE_AT_ROOT && c->rank == c->root));
}
#ifdef MPI_IN_PLACE
#define HAS_IN_PLACE 1
static inline void *input_of(const Cell *c)
{
    return is_in_place(c) ? MPI_IN_PLACE : (void *)c->send;
}
static inline void *output_of(const Cell *c)
{
    return is_in_place(c) ? MPI_IN_PLACE : (void *)c->receive;
}
#else
#define HAS_IN_PLACE 0
static inline void *input_of(const Cell *c)
{
    return c->send;
}
static inline void *output_of(const Cell *c)
{
    return c->receive;
}
#endif

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
static inline int message_to(const Cell *c, int destination, int message)
{
    return destination + message * c->ranks;
}
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

/* Setups (blocks.c): the block is divided among the ranks, the first ones get what does not divide,
 * in c->counts and c->displacements; one call moves the blocks of all ranks, or the cell fails;
 * ranks i and j exchange blocks that are as long as the share of rank (i + j) % ranks, both ways.
 */
void divide_block(Cell *c);
void join_blocks(Cell *c);
void exchange_shares(Cell *c);

/* Each block with a datatype of its own, and its place in bytes, shape (ranks): what c->state is
 * between these two, after exchange_shares. */
typedef struct {
    MPI_Datatype *types;
    int *displacements;
} TypedBlocks;
void open_typed_blocks(Cell *c);
void close_typed_blocks(Cell *c);

/* For messages to a last rank that receives late, when they are there if they come unasked
 * (late.c). */
void set_up_late_receiver(Cell *c);
void send_to_late_receiver(Cell *c);
void tear_down_late_receiver(Cell *c);

/* For `start` and `run` of operations that `prepare` has made (persistent.c). */
void start_prepared(Cell *c, MPI_Request *request); /* the first request */
void complete_prepared(Cell *c, int request);       /* starts this one and waits for it */

/* A message there and another one back (message.c). */
void pass_back_and_forth(Cell *c, void (*send)(Cell *c), void (*receive)(Cell *c));
void receive_from_partner(Cell *c);

/* Windows of nonblocking messages to and from c->partner (message.c), whose requests are put into
 * c->requests from `first` on; both return how many. */
int send_window(Cell *c, int first);
int receive_window(Cell *c, int first);
int send_init_window(Cell *c, int first); /* the same as persistent requests */
int receive_init_window(Cell *c, int first);
void finish(Cell *c, int count);   /* waits for the first `count` requests */
void acknowledged_window(Cell *c); /* a window one way, from the leading rank, and an empty message
                                      back */

/* The cell ends as failed on all ranks, with the first rank's reason. Printf-like; setup only. */
void fail_cell(Cell *c, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Something broke within `run`: the cell ends as failed, and the job with it. */
void end_job(const Job *job, const char *reason) __attribute__((noreturn));

/* What the rank did in this operation until now is not part of the sample (unbatched only). */
void restart_timer(Cell *c);

/* What MPI_Init took on this rank. */
double init_seconds(const Cell *c);

/* For the body of a loop that waits: gives up the core if --yield asks for it. */
void wait_a_little(const Cell *c);

#endif
