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

#include "mpi_versions.h"
#include "verified_data.h"

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

/* Which ranks can find their input where their output goes (--in-place): see input_of. */
typedef enum { NEVER_IN_PLACE, IN_PLACE, IN_PLACE_AT_ROOT } InPlace;

/* How an operation on another rank's memory is begun and completed (--sync): see one_sided.h. */
typedef enum { FLUSH, FLUSH_LOCAL, LOCK, FENCE, POST_START } Sync;

/* Who is whose neighbour (--topology): see neighbours.h. */
typedef enum { CARTESIAN, GRAPH } Topology;

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
