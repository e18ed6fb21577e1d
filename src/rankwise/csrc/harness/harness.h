/* What the files of the harness need of one another. No benchmark includes it. */
#ifndef RANKWISE_HARNESS_H
#define RANKWISE_HARNESS_H

#include "kernel.h"
#include <stdint.h>

/* options.c: the command line */
enum { ROTATE = -1 }; /* as a root */
typedef enum { CLOCK_AUTO, CLOCK_SHARED, CLOCK_SYNCHRONISED } ClockChoice;

typedef struct {
    const char *text; /* as typed */
    const Kernel *kernel;
    size_t size_bytes;
} CellRequest;

typedef struct {
    bool list, help, verify, cold_cache, barrier_start, yield;
    double seconds; /* to spend on the repetitions of one cell */
    int min_repetitions, max_repetitions;
    int warmup; /* -1: by time */
    const char *datatype, *layout, *operation;
    int root; /* or ROTATE */
    int window;
    int messages;                   /* of a stream */
    double idle_seconds;            /* before a stream; -1: by the round trip */
    const char *congestion_control; /* of plain TCP connections; "": the system's */
    ClockChoice clock;
    double limit_seconds; /* 0: none */
    int delay_rank;       /* -1: nobody is late */
    double delay_seconds, delay_fraction;
    double skew_offset_seconds, skew_drift;
    CellRequest *cells;
    int cell_count;
} Options;

/* Fills `options`; returns false after a message on stderr if the command line makes no sense. */
bool parse_options(int argc, char **argv, Options *options);
void print_help(void);

/* registry.c */
const Kernel *first_kernel(void); /* in the order of their names; follow ->next */
const Kernel *find_kernel(const char *name);
const char *category_name(Category category);

/* host.c: this process and the machine below it */
void die_with_launcher(void);
void start_watchdog(double limit_seconds);
void read_line(const char *path, char *line, size_t size);
void read_link(const char *path, char *target, size_t size);
double available_memory_bytes(void);
size_t cache_bytes(void);
void gather_hosts(void); /* the host names and kernels of all ranks, for these: */
const char *host_of(int rank);
int ranks_on_machine(void); /* on this rank's kernel: emulated hosts share one, and its memory */

/* clock_sync.c: one clock for all ranks. Local seconds are what this rank reads; global seconds are
 * the same moment on rank 0's clock. */
typedef struct {
    bool shared;
    double error_seconds, resolution_seconds, cost_seconds;
} ClockReport;
ClockReport start_clock(const Options *options);
double local_seconds(void);
double timer_cost_seconds(void);
double global_of(double local);
double local_of(double global);
void refresh_clock(void); /* before a cell, by all ranks */

/* barrier.c */
void set_yielding(bool yields);
void agree_on_maximum(double *values, int count); /* at most 3; also a barrier */
void wait_for_all(void);

/* A start that all ranks know before it comes. */
typedef struct {
    bool windowed; /* false: start on leaving the barrier */
    double local_seconds, slack_seconds;
    double needed_seconds; /* the slack with which this rank would just have been in time */
    bool stop;             /* some rank asks to end the series */
} Start;
void measure_slack(void); /* once, before the first start */
void first_start(Start *start, bool windowed);
void wait_for_start(Start *start);
bool next_start(Start *start, bool stop); /* false: some rank came too late for this start */
/* A single start, at least so long after every rank has called this; in local seconds. */
double start_after(double seconds);

/* message.c: datatypes and buffers */
void make_message(Cell *c, const Options *options); /* or fails the cell */
void free_message(Cell *c);
void next_buffers(Cell *c); /* the first, and then another region each time */

/* pattern.c */
void spoil_receive(Cell *c);

/* cell.c */
void run_cell(const CellRequest *request, const Options *options);
void set_repetition(Cell *c, const Options *options, int repetition);
bool all_ranks_well(Cell *c); /* false: c->failure is the first failing rank's, on every rank */

/* measure.c, overlap.c, stream.c, verify.c */
enum { VERIFY_REPETITIONS = 3 };
typedef void (*Operation)(Cell *c);
Operation operation_of(const Kernel *kernel);
void start_and_wait(Cell *c);
void measure_cell(Cell *c, const Options *options);
void measure_overlap(Cell *c, const Options *options);
void measure_stream(Cell *c, const Options *options);
/* Emits one series; returns the seconds of one operation as the warm-up saw them. */
double measure_series(Cell *c, const Options *options, Operation operation, const char *quantity);
bool verify_cell(Cell *c, const Options *options); /* false: as all_ranks_well */

/* emit.c: JSON lines on stdout */
typedef struct {
    const char *quantity;
    int batch, discarded, count;
    bool windowed;
    const double *samples_seconds;
} Series;
typedef struct {
    const char *quantity;
    int count;
    const double *times_seconds, *values;
} Timeline;
void emit_list(void);
void emit_begin(const ClockReport *clock);
void emit_series(const Cell *c, const Series *series);
void emit_timeline(const Cell *c, const Timeline *timeline);
void emit_failure(const char *benchmark, size_t size_bytes, const char *kind, const char *reason);
void emit_verified(const char *benchmark, size_t size_bytes, int repetitions);
void emit_end(void);

/* main.c: the job */
typedef struct {
    MPI_Comm comm, kernel_comm;
    int rank, ranks;
    const CellRequest *current; /* cell; NULL before the first */
} World;
extern World world;

#endif
