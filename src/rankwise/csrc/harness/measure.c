/* Timing: warm up, decide once how often to repeat, start every repetition at one moment. */
#include "harness.h"
#include <float.h>
#include <math.h>
#include <stdlib.h>

enum { MOST_BATCH = 1000, WARMUP_OPERATIONS = 3, WARMUP_BLOCK = 64 };
static const double TIMER_COSTS_PER_SAMPLE = 100;
static const double WARMUP_SHARE = 0.1; /* of the time for the repetitions */
static const double OVERRUN = 3;        /* times the planned time; then the repetitions end early */
static const double LONGEST_WITH_LEAD_IN_SECONDS = 1e-4;
static const double LONG_START_SECONDS = 1e-3;

/* What rank 0 decides for a series. */
typedef struct {
    double run_seconds; /* of one `run`, from the warm-up */
    int batch, repetitions;
    bool lead_in; /* an untimed operation first: the skew of the start is not timed */
} Plan;

/* The repetitions of this rank, on its own clock. */
typedef struct {
    double *entries, *exits;
    int kept, discarded;
    bool windowed;
} Times;

Operation operation_of(const Kernel *kernel)
{
    return kernel->start ? start_and_wait : kernel->run;
}

void restart_timer(Cell *c)
{
    c->entry_seconds = local_seconds();
}

static void operate(Cell *c, Operation operation, int times)
{
    for (int i = 0; i < times; i++) {
        if (c->active)
            operation(c);
        if (c->regions > 1)
            next_buffers(c);
    }
}

/* Doubling blocks of operations, until that is enough. Returns the seconds per operation of the
 * slowest rank in the best block: one in which a rank was preempted would make the batches too
 * short. Over a long link every agreement counts: the one on the seconds is the barrier before the
 * next block as well, and since all ranks know the same seconds, each decides by itself. */
static double warm_up(Cell *c, const Options *options, Operation operation)
{
    double total = 0, best = DBL_MAX;
    bool enough = false;
    wait_for_all();
    for (int done = 0, block = 1; !enough; block = block < WARMUP_BLOCK ? 2 * block : block) {
        if (options->warmup > done && block > options->warmup - done)
            block = options->warmup - done;
        const double begin = local_seconds();
        operate(c, operation, block);
        double seconds = local_seconds() - begin;
        agree_on_maximum(&seconds, 1);
        done += block;
        total += seconds;
        best = seconds / block < best ? seconds / block : best;
        enough = options->warmup >= 0
                     ? done >= options->warmup
                     : done >= WARMUP_OPERATIONS && total >= WARMUP_SHARE * options->seconds;
    }
    return best;
}

/* The quickest of a few starts; of long ones, which differ little, a single one. All ranks make as
 * many, for the slack is the same on all. */
static double start_seconds(bool windowed)
{
    enum { STARTS = 5 };
    double best = DBL_MAX;
    Start start = {0};
    for (int i = 0; i < STARTS && start.slack_seconds < LONG_START_SECONDS; i++) {
        const double begin = local_seconds();
        first_start(&start, windowed);
        wait_for_start(&start);
        const double seconds = local_seconds() - begin;
        best = seconds < best ? seconds : best;
    }
    return best;
}

static double clamp(double value, double low, double high)
{
    return value < low ? low : value > high ? high : value;
}

/* Rank 0's decisions, on every rank. */
static Plan make_plan(Cell *c, const Options *options, Operation operation)
{
    double run_seconds = warm_up(c, options, operation);
    double starting = start_seconds(!options->barrier_start);
    double shared[] = {world.rank == 0 ? run_seconds : 0, world.rank == 0 ? starting : 0,
                       world.rank == 0 ? timer_cost_seconds() : 0};
    agree_on_maximum(shared, 3);
    run_seconds = shared[0];
    starting = shared[1];
    const double wanted = TIMER_COSTS_PER_SAMPLE * shared[2];
    const double batch = c->kernel->batched ? clamp(ceil(wanted / run_seconds), 1, MOST_BATCH) : 1;
    const bool lead_in = c->kernel->batched && c->kernel->timing != BY_ALL_RANKS &&
                         run_seconds < LONGEST_WITH_LEAD_IN_SECONDS;
    const double repetitions = options->seconds / (run_seconds * (batch + lead_in) + starting);
    return (Plan){
        .run_seconds = run_seconds,
        .batch = (int)batch,
        .repetitions = (int)clamp(repetitions, options->min_repetitions, options->max_repetitions),
        .lead_in = lead_in,
    };
}

/* The test hook: true for an evenly spread fraction of repetitions, the first among them. */
static bool is_delayed(const Options *options, int repetition)
{
    const double fraction = options->delay_fraction;
    return world.rank == options->delay_rank &&
           ceil((repetition + 1) * fraction) > ceil(repetition * fraction);
}

static void be_late(double seconds)
{
    const double until = local_seconds() + seconds;
    while (local_seconds() < until)
        wait_a_little();
}

static bool is_timed(const Cell *c)
{
    const int last = c->ranks - 1;
    return c->active && (c->kernel->timing == BY_ALL_RANKS ||
                         c->rank == (c->kernel->timing == BY_FIRST_RANK ? 0 : last));
}

static void time_once(Cell *c, Operation operation, const Plan *plan, double *entry, double *exit)
{
    if (plan->lead_in)
        operate(c, operation, 1);
    c->entry_seconds = local_seconds();
    operate(c, operation, plan->batch);
    *exit = local_seconds();
    *entry = c->entry_seconds;
}

/* A repetition that some rank started late is overwritten by the next; where that is the rule, the
 * window is given up. All ranks decide alike, for they decide on agreed values. */
static void repeat(Cell *c, const Options *options, Operation operation, const Plan *plan, Times *t)
{
    enum { TRIALS = 30 }; /* time enough for the slack to grow a thousandfold */
    const double planned = clamp(options->seconds, plan->run_seconds * plan->batch, DBL_MAX);
    const double deadline = local_seconds() + OVERRUN * planned;
    Start start;
    first_start(&start, !options->barrier_start);
    do {
        set_repetition(c, options, t->kept);
        wait_for_start(&start);
        if (is_delayed(options, t->kept))
            be_late(options->delay_seconds);
        time_once(c, operation, plan, &t->entries[t->kept], &t->exits[t->kept]);
        const bool enough = world.rank == 0 && t->kept + 1 >= options->min_repetitions &&
                            local_seconds() > deadline;
        if (next_start(&start, enough))
            t->kept++;
        else
            t->discarded++;
        if (t->discarded > TRIALS && t->discarded > t->kept)
            start.windowed = false;
    } while (t->kept < plan->repetitions && !(start.stop && t->kept > 0));
    t->windowed = start.windowed;
}

/* Last exit - first entry over the ranks that are timed, per message; on rank 0. One reduction for
 * both: the first entry is the largest of the negative ones. */
static void gather_samples(const Cell *c, const Times *t, int messages, double *samples)
{
    const int kept = t->kept;
    double *mine = malloc(4 * (size_t)kept * sizeof *mine), *all = mine + 2 * kept;
    const bool timed = is_timed(c);
    for (int i = 0; i < kept; i++) {
        mine[i] = timed ? -global_of(t->entries[i]) : -DBL_MAX;
        mine[kept + i] = timed ? global_of(t->exits[i]) : -DBL_MAX;
    }
    MPI_Reduce(mine, all, 2 * kept, MPI_DOUBLE, MPI_MAX, 0, world.comm);
    for (int i = 0; i < kept && world.rank == 0; i++)
        samples[i] = (all[kept + i] + all[i]) / messages;
    free(mine);
}

static int messages_in_run(const Cell *c)
{
    if (c->kernel->windowed)
        return c->window;
    return c->kernel->operations > 1 ? c->kernel->operations : 1;
}

double measure_series(Cell *c, const Options *options, Operation operation, const char *quantity)
{
    const Plan plan = make_plan(c, options, operation);
    const size_t bytes = (size_t)plan.repetitions * sizeof(double);
    double *memory = malloc(3 * bytes);
    double *samples = memory + 2 * plan.repetitions;
    Times times = {.entries = memory, .exits = memory + plan.repetitions};
    repeat(c, options, operation, &plan, &times);
    gather_samples(c, &times, plan.batch * messages_in_run(c), samples);
    if (world.rank == 0)
        emit_series(c, &(Series){.quantity = quantity,
                                 .batch = plan.batch,
                                 .discarded = times.discarded,
                                 .count = times.kept,
                                 .windowed = times.windowed,
                                 .samples_seconds = samples});
    free(memory);
    return plan.run_seconds;
}

void measure_cell(Cell *c, const Options *options)
{
    if (c->kernel->streamed)
        measure_stream(c, options);
    else if (c->kernel->start)
        measure_overlap(c, options);
    else
        measure_series(c, options, operation_of(c->kernel), "time");
}
