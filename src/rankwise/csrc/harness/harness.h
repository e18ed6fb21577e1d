/* What the files of the harness need of one another. No benchmark includes it. The files are in
 * layers, and in this order: each uses those above it alone. */
#ifndef RANKWISE_HARNESS_H
#define RANKWISE_HARNESS_H

#include "clock.h"
#include "kernel.h"
#include <stdint.h>

/* registry.c */
const Kernel *first_kernel(void); /* in the order of their names; follow ->next */
const Kernel *find_kernel(const char *name, size_t length);
const char *category_name(Category category);

/* schedule_names.c: the benchmarks OPERATION.ALGORITHM, of the algorithms that have registered
 * themselves. All return false or NULL after a message on stderr. */
/* With this setup, run... of each; once, after all have registered themselves. */
bool register_schedules(const Kernel *how);
/* NAME:PARAMETER=VALUE...; NULL without a message where NAME is no schedule. */
const Kernel *schedule_with_parameters(const char *text, size_t length);

/* NAME=FILE: one more, OPERATION.file:NAME. */
bool register_schedule_file(const char *text);

/* request.c: what single arguments ask for. A candidate is a number of control variables of the
 * library (MPI_T) with their values. */
enum { MOST_VARIABLES = 8, VARIABLE_BYTES = 128, VALUE_BYTES = 256 };
typedef struct {
    char name[VARIABLE_BYTES], value[VALUE_BYTES];
} Variable;
typedef struct {
    Variable variables[MOST_VARIABLES];
    int count;
} CandidateRequest;
typedef struct {
    const char *text; /* as typed */
    const Kernel *kernel;
    size_t size_bytes;
    int candidate; /* 0: the library as it is in this launch */
} CellRequest;
/* Both return false after a message on stderr. */
bool parse_candidate(const char *text, CandidateRequest **candidates, int *count); /* one more */
bool parse_cell(const char *text, const Kernel *pattern, int candidates, CellRequest *request);

/* options.c: the command line */
enum { ROTATE = -1 }; /* as a root */

typedef struct {
    bool list, help, verify, cold_cache, barrier_start, yield;
    bool target_computes; /* not waits, in one-sided operations */
    double seconds;       /* to spend on the repetitions of one cell */
    int min_repetitions, max_repetitions;
    int warmup;     /* -1: by time */
    int min_warmup; /* by time, of a series with the fewest repetitions */
    const char *datatype, *layout, *reduction;
    int root; /* or ROTATE */
    int window;
    int groups;  /* of ranks, on all of which a cell runs at once */
    int threads; /* of each rank; with more than one the library must allow MPI_THREAD_MULTIPLE */
    bool in_place;
    Sync sync;
    Topology topology;
    const char *folder;             /* for files; "": TMPDIR, or /tmp */
    int polls;                      /* of the library during a computation */
    int messages;                   /* of a stream */
    double idle_seconds;            /* before a stream; -1: by the round trip */
    const char *congestion_control; /* of plain TCP connections; "": the system's */
    const char *network_file;       /* for schedules; "": none */
    RwClockOptions clock;
    double limit_seconds; /* 0: none */
    int delay_rank;       /* -1: nobody is late */
    double delay_seconds, delay_fraction;
    CandidateRequest *candidates;
    int candidate_count;
    CellRequest *cells;
    int cell_count;
} Options;

/* Fills `options`; returns false after a message on stderr if the command line makes no sense. */
bool parse_options(int argc, char **argv, const Kernel *pattern, Options *options);
void print_help(void);

/* The value of a control variable, as the library keeps it. */
typedef union {
    int as_int;
    unsigned as_unsigned;
    unsigned long as_unsigned_long;
    unsigned long long as_unsigned_long_long;
    bool as_bool;
    char as_text[VALUE_BYTES];
} VariableValue;

/* What all cells of a launch share on this rank. main.c makes it. */
struct Job {
    MPI_Comm comm, kernel_comm; /* kernel_comm: of this rank's group */
    int rank, ranks;
    int groups;          /* 0: the ranks do not divide into as many as were asked for */
    bool multithreaded;  /* MPI_THREAD_MULTIPLE */
    double init_seconds; /* of MPI_Init */
    const CellRequest *volatile current; /* cell; NULL before the first */
    bool yields;
    const char *network_file; /* where the ranks' hosts are; "": nobody knows */
    RwClock clock;
    RwBarrier barrier;
    char *hosts, *machines;      /* of all ranks, shape (ranks, HOST_BYTES) */
    double usual_slack_seconds;  /* before a start: start.c */
    double timer_cost_seconds;   /* rank 0's */
    int starts_given_up;         /* at the agreed time, in so many last series: series.c */
    double compute_step_seconds; /* compute.c; 0 until measured */
    long compute_steps;          /* in each of the pieces that polls divide the computation into */
    int compute_polls;
    const CandidateRequest *candidates;
    MPI_Comm *candidate_comms;         /* of each; MPI_COMM_NULL until its first cell */
    double *cell_seconds;              /* of an operation in each cell of the launch; 0: not yet */
    const CandidateRequest *candidate; /* whose cell this is; NULL: none's */
    int written;                       /* of its variables, which had these values before: */
    VariableValue former[MOST_VARIABLES];
    char *volatile noted;          /* where an MPI error is noted; NULL: it ends the job */
    volatile double compute_value; /* volatile, or the compiler sees through the loop */
};

/* Local seconds are what this rank's clock reads; global seconds are the same moment on rank 0's.
 */
static inline double local_seconds(const Job *job)
{
    return rw_clock_local(&job->clock);
}

static inline double global_of(const Job *job, double local)
{
    return rw_clock_global(&job->clock, local);
}

/* host.c: the machine of this rank, and where the others are */
enum { HOST_BYTES = 256 };
double available_memory_bytes(void);
size_t cache_bytes(void);
/* The host names and machines of all ranks, for the functions below; false if there is no memory
 * for them. */
bool gather_hosts(Job *job);
const char *host_of(const Job *job, int rank);
/* Ranks on this rank's machine: emulated hosts share one, and its memory. */
int ranks_on_machine(const Job *job);

/* emit.c: JSON lines on stdout */
typedef struct {
    const char *quantity;
    int batch, discarded, count;
    int messages;        /* of an operation, one of which is a sample; 0 means 1 */
    bool at_agreed_time; /* all repetitions started so, not on leaving a barrier */
    const double *samples_seconds;
} Series;
typedef struct {
    const char *quantity;
    int count;
    const double *times_seconds, *values;
} Timeline;
void emit_list(void);
void emit_begin(const Job *job);
void emit_series(const Cell *c, const Series *series);
void emit_timeline(const Cell *c, const Timeline *timeline);
void emit_failure(const CellRequest *cell, const char *kind, const char *reason);
void emit_verified(const CellRequest *cell, int repetitions);
void emit_end(const Job *job, double cells_seconds); /* what all cells together took */

/* ending.c: how the program ends before its time; also end_job */
void die_with_launcher(void);
void end_on_time_limit(const Job *job, double limit_seconds); /* 0: never */
MPI_Errhandler end_on_mpi_errors(const Job *job);             /* to be freed */

/* job.c: what all ranks do together; an error ends the job */
void join_job(Job *job, int *argc, char ***argv, bool multithreaded);
void divide_job(Job *job, int groups);
void start_clock(Job *job, const RwClockOptions *options);
void refresh_clock(Job *job);
void agree_on_maximum(const Job *job, double *values, int count); /* at most 5; also a barrier */
void wait_for_all(const Job *job);
void leave_job(Job *job);

/* variables.c: the control variables of job->candidate. Written twice or restored twice is once. */
const char *variables_unsupported(void); /* NULL: they are there */
bool open_variables(const Job *job);
void close_variables(void);
/* All of them, or none and the reason. */
bool write_variables(Job *job, char *reason, size_t bytes);
void restore_variables(Job *job); /* what they were: also around control traffic, after which */
void rewrite_variables(Job *job); /* they are written as before */

/* start.c: a start that all ranks know before it comes */
typedef struct {
    bool at_agreed_time; /* false: start on leaving the barrier */
    double local_seconds, slack_seconds;
    double needed_seconds;    /* the slack with which this rank would just have been in time */
    double overslept_seconds; /* started so late though it had come in time */
    double late_share;        /* of the time that a repetition takes, that it may start so late */
    double tardy_share;       /* the same, for a rank that came late */
    bool overslept;           /* later than that: why the repetition before was not taken */
    bool stop;                /* some rank asks to end the series */
} Start;
void measure_slack(Job *job); /* once, before the first start */
void first_start(const Job *job, Start *start, bool at_agreed_time);
void wait_for_start(const Job *job, Start *start);
/* False: some rank came too late for the start before, whose repetition took so long on this rank.
 */
bool next_start(Job *job, Start *start, double took_seconds, bool stop);
void sleep_for(double seconds);
/* A single start, at least so long after every rank has called this; in local seconds. */
double start_after(const Job *job, double seconds);

/* failure.c: a cell that fails on some rank fails on all; also fail_cell */
void *cell_memory(Cell *c, size_t bytes); /* zeros; NULL after failing the cell */
/* As fail_cell: this cannot be done at all. */
void refuse_cell(Cell *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool all_ranks_well(Cell *c); /* false: c->failure is the first failing rank's, on every rank */
bool all_ranks_well_at(Cell *c, double *most); /* also the maximum over the ranks */

/* pattern.c */
void poison_buffers(Cell *c); /* with their guards */

void place_input(Cell *c); /* where an operation in place looks for it */

/* message.c: datatypes and buffers */
void make_message(Cell *c, const Options *options); /* or fails the cell */
void free_message(Cell *c);
void next_buffers(Cell *c); /* the first, and then another region each time */

/* persistent.c: also start_prepared */
void renew_prepared(Cell *c); /* where the root or the buffers have changed */
void free_prepared(Cell *c);

/* repetition.c: calls of a benchmark's `run`, or of what stands for it */
typedef void (*Run)(Cell *c);
Run run_of(const Kernel *kernel);
void start_and_wait(Cell *c);
void run_times(Cell *c, Run run, int times); /* each with the next buffers */
void set_repetition(Cell *c, const Options *options, int repetition);

/* schedule_cell.c: how benchmarks of schedules are set up and run */
extern const Kernel schedule_kernel;

/* candidate.c: cells of a candidate; both return whether all ranks may go on */
void open_candidates(Job *job, const Options *options);
void close_candidates(Job *job);
bool enter_candidate(Cell *c);
bool try_candidate(Cell *c, const Options *options); /* once, for an algorithm that fails */
/* A candidate's operation takes many times what the quickest so far does in this launch: there is
 * nothing to be said that a single repetition does not say. The same on every rank. */
bool falls_behind(const Cell *c, const Options *options, double run_seconds);
void leave_candidate(Cell *c);

/* compute.c: what a rank does while it is not in the library */
void prepare_computing(Job *job, int polls); /* once a launch is enough */
void compute_for(Job *job, double seconds);  /* what computations from now on are to take */
void compute_alone(Cell *c);
void start_compute_and_wait(Cell *c); /* a nonblocking operation, with the computation between */

/* verify.c: how often it was repeated; 0: as all_ranks_well says */
int verify_cell(Cell *c, const Options *options);

/* series.c: emits one series and returns its samples, on rank 0 */
typedef struct {
    double *seconds;
    int count;
} Samples;
enum { SERIES_RECORDS = 4 }; /* numbers in c->records for each repetition */
Samples measure_series(Cell *c, const Options *options, Run run, const char *quantity);

/* overlap.c, stream.c, once.c, flows.c */
enum { STREAM_RECORDS = 2 + MOST_GAUGES }; /* numbers in c->records for each message */
void measure_overlap(Cell *c, const Options *options);
void measure_stream(Cell *c, const Options *options);
void measure_once(Cell *c);
void measure_flows(Cell *c, const Options *options);
extern const Kernel flow_kernel; /* what all patterns of flows have in common */

/* cell.c */
void run_cell(Job *job, const CellRequest *request, const Options *options);

#endif
