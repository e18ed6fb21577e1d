/* Timing: warm up, decide once how often to repeat, start every repetition at one moment. */
#include "harness.h"
#include <float.h>
#include <math.h>

enum { MOST_BATCH = 1000, WARMUP_OPERATIONS = 3, WARMUP_BLOCK = 64 };
static const double TIMER_COSTS_PER_SAMPLE = 125; /* well below 1 % */
static const double WARMUP_SHARE = 0.1;           /* of the time for the repetitions */
static const double LONGEST_WARMUP_SECONDS = 0.2; /* of fewer operations than that */
static const double OVERRUN = 3; /* times the planned time; then the repetitions end early */
static const double LONGEST_WITH_LEAD_IN_SECONDS = 1e-4;
static const double TARGET_COMPUTES_TIMES = 4;
static const double LONG_START_SECONDS = 1e-3;
/* Of a sample, that a start may be late; and where that cannot be had, for ranks share cores: a
 * barrier in its place may cost a delay of the network. */
static const double LATE_SHARE = 0.01, MORE_LATE_SHARE = 0.05;

/* What is decided for a series. */
typedef struct {
    double run_seconds; /* of one `run`, from the warm-up */
    int batch, repetitions;
    bool target_computes; /* instead of waiting in the library */
    bool brief;           /* over a long link: as few operations as can be */
    bool lead_in;         /* an untimed operation first: the skew of the start is not timed */
} Plan;

/* The repetitions of this rank, on its own clock. */
typedef struct {
    double *entries, *exits;
    int kept, discarded;
    bool at_agreed_time;
} Times;

/* What a start takes over a long link: an agreement and its slack. 0: it is no long one. */
static double long_start_seconds(const Job *job)
{
    return job->usual_slack_seconds > LONG_START_SECONDS ? 2 * job->usual_slack_seconds : 0;
}

/* After so many operations. Where a series has the fewest repetitions anyway, so much warming up
 * would take longer than they do. */
static bool is_warm(const Cell *c, const Options *options, int done, double total_seconds)
{
    const double one = total_seconds / done + long_start_seconds(c->job);
    if (options->warmup >= 0)
        return done >= options->warmup;
    if (done >= options->min_warmup && one * options->min_repetitions >= options->seconds &&
        done < WARMUP_OPERATIONS)
        return true;
    return total_seconds >=
           (done < WARMUP_OPERATIONS ? LONGEST_WARMUP_SECONDS : WARMUP_SHARE * options->seconds);
}

/* Doubling blocks of operations, until that is enough. Returns the seconds per operation of the
 * slowest rank in the best block: one in which a rank was preempted would make the batches too
 * short. Over a long link every agreement counts: the one on the seconds is the barrier before the
 * next block as well, and since all ranks know the same seconds, each decides by itself. */
static double warm_up(Cell *c, const Options *options, Run run)
{
    double total = c->warmup_seconds, best = c->warmed_up ? total / c->warmed_up : DBL_MAX;
    bool enough = c->warmed_up && is_warm(c, options, c->warmed_up, total);
    const bool once_more = enough && falls_behind(c, options, best); /* it may have connected */
    enough = enough && !once_more;
    if (!c->warmed_up && c->job->usual_slack_seconds <= LONG_START_SECONDS)
        wait_for_all(c->job); /* over a long link all have just agreed that all is well */
    for (int done = c->warmed_up, block = once_more ? 1 : done + 1; !enough;
         block = block < WARMUP_BLOCK ? 2 * block : block) {
        if (options->warmup > done && block > options->warmup - done)
            block = options->warmup - done;
        const double begin = local_seconds(c->job);
        run_times(c, run, block);
        double seconds = local_seconds(c->job) - begin;
        agree_on_maximum(c->job, &seconds, 1);
        done += block;
        total += seconds;
        best = seconds / block < best ? seconds / block : best;
        enough = is_warm(c, options, done, total);
    }
    c->warmed_up = 0; /* for a further series */
    c->warmup_seconds = 0;
    return best;
}

/* Rank 0's quickest of a few starts; a long one need not be tried: an agreement and its slack. All
 * ranks do alike, for the slack is the same on all. */
static double start_seconds(const Job *job, bool at_agreed_time)
{
    enum { STARTS = 5 };
    double best = DBL_MAX;
    Start start = {0};
    if (long_start_seconds(job) > 0)
        return at_agreed_time ? long_start_seconds(job) : job->usual_slack_seconds;
    for (int i = 0; i < STARTS; i++) {
        const double begin = local_seconds(job);
        first_start(job, &start, at_agreed_time);
        wait_for_start(job, &start);
        const double seconds = local_seconds(job) - begin;
        best = seconds < best ? seconds : best;
    }
    best = job->rank == 0 ? best : 0;
    agree_on_maximum(job, &best, 1);
    return best;
}

static double clamp(double value, double low, double high)
{
    return value < low ? low : value > high ? high : value;
}

/* The same on every rank, from what all know. */
static Plan make_plan(Cell *c, const Options *options, Run run)
{
    const double run_seconds = warm_up(c, options, run);
    const double starting = start_seconds(c->job, !options->barrier_start);
    const double wanted = TIMER_COSTS_PER_SAMPLE * c->job->timer_cost_seconds;
    const double batch = c->kernel->batched ? clamp(ceil(wanted / run_seconds), 1, MOST_BATCH) : 1;
    const bool lead_in = c->kernel->batched && c->kernel->timing != BY_ALL_RANKS &&
                         run_seconds < LONGEST_WITH_LEAD_IN_SECONDS;
    const double repetitions = options->seconds / (run_seconds * (batch + lead_in) + starting);
    const int least = falls_behind(c, options, run_seconds) ? 1 : options->min_repetitions;
    return (Plan){
        .run_seconds = run_seconds,
        .batch = (int)batch,
        .repetitions = (int)clamp(repetitions, least, options->max_repetitions),
        .brief = options->min_warmup < WARMUP_OPERATIONS && long_start_seconds(c->job) > 0,
        .lead_in = lead_in,
        .target_computes = options->target_computes && c->kernel->category == ONE_SIDED,
    };
}

/* The test hook: true for an evenly spread fraction of repetitions, the first among them. */
static bool is_delayed(const Cell *c, const Options *options, int repetition)
{
    const double fraction = options->delay_fraction;
    return c->job->rank == options->delay_rank &&
           ceil((repetition + 1) * fraction) > ceil(repetition * fraction);
}

static void be_late(const Cell *c, double seconds)
{
    const double until = local_seconds(c->job) + seconds;
    while (local_seconds(c->job) < until)
        wait_a_little(c);
}

static bool is_timed(const Cell *c)
{
    const int last = c->ranks - 1;
    return c->active && (c->kernel->timing == BY_ALL_RANKS ||
                         c->rank == (c->kernel->timing == BY_FIRST_RANK ? 0 : last));
}

/* How long the target of one-sided operations computes: long enough that it cannot be missed if
 * they wait for it. */
static void prepare_target(Cell *c, const Plan *plan)
{
    prepare_computing(c->job, 0);
    compute_for(c->job, TARGET_COMPUTES_TIMES * plan->run_seconds * (plan->batch + plan->lead_in));
}

static void time_once(Cell *c, Run run, const Plan *plan, double *entry, double *exit)
{
    if (plan->target_computes && c->active && !c->leads)
        compute_alone(c);
    if (plan->lead_in)
        run_times(c, run, 1);
    c->entry_seconds = local_seconds(c->job);
    run_times(c, run, plan->batch);
    *exit = local_seconds(c->job);
    *entry = c->entry_seconds;
}

/* A repetition that some rank started late is overwritten by the next; where that is the rule, the
 * agreed time is given up, and with it what was kept so far: a series has one kind of start. The
 * more series before gave it up, the fewer trials show that it does not work yet. What is overslept
 * will be again, so only a few such repetitions are tried. All ranks decide alike, for they decide
 * on agreed values.
 * Over a long link late starts are taken instead, where a series is brief after a few trials: on
 * leaving a barrier some ranks would be late by a whole delay of the network, always. */
static void repeat(Cell *c, const Options *options, Run run, const Plan *plan, Times *t)
{
    static const int most_trials[] = {30, 8, 2, 1}; /* 30: the slack may grow a thousandfold */
    enum { OVERSLEPT = 5, LAST = 3, BRIEF_TRIALS = 3 };
    int *given_up = &c->job->starts_given_up;
    const int trials = most_trials[*given_up < LAST ? *given_up : LAST];
    const bool far = long_start_seconds(c->job) > 0;
    int overslept = 0;
    const double planned = clamp(options->seconds, plan->run_seconds * plan->batch, DBL_MAX);
    const double deadline = local_seconds(c->job) + OVERRUN * planned;
    Start start;
    first_start(c->job, &start, !options->barrier_start);
    start.late_share = plan->brief ? MORE_LATE_SHARE : LATE_SHARE;
    start.tardy_share = plan->brief ? MORE_LATE_SHARE : 0;
    do {
        set_repetition(c, options, t->kept);
        wait_for_start(c->job, &start);
        if (!c->active)
            start.overslept_seconds = 0;
        if (is_delayed(c, options, t->kept))
            be_late(c, options->delay_seconds);
        double *entry = &t->entries[t->kept], *exit = &t->exits[t->kept];
        time_once(c, run, plan, entry, exit);
        const bool enough = c->job->rank == 0 && t->kept + 1 >= options->min_repetitions &&
                            local_seconds(c->job) > deadline;
        if (next_start(c->job, &start, is_timed(c) ? *exit - *entry : 0, enough))
            t->kept++;
        else
            t->discarded++;
        overslept += start.overslept;
        if (overslept == OVERSLEPT && overslept > t->kept)
            start.late_share = fmax(start.late_share, MORE_LATE_SHARE);
        const bool too_many =
            (t->discarded > trials || overslept > 2 * OVERSLEPT) && t->discarded > t->kept;
        if ((plan->brief && t->discarded >= BRIEF_TRIALS) || (far && too_many)) {
            start.late_share = start.tardy_share = DBL_MAX;
        } else if (start.at_agreed_time && too_many) {
            start.at_agreed_time = false;
            t->discarded += t->kept;
            t->kept = 0;
        }
    } while (t->kept < plan->repetitions && !(start.stop && t->kept > 0));
    t->at_agreed_time = start.at_agreed_time;
    const bool agreed = start.at_agreed_time && start.late_share < DBL_MAX;
    *given_up = agreed || options->barrier_start ? 0 : *given_up + 1;
}

/* Last exit - first entry over the ranks that are timed, per message; on rank 0. One reduction for
 * both: the first entry is the largest of the negative ones. The records of this rank, entries and
 * exits, become what is reduced; returns the samples. */
static double *gather_samples(const Cell *c, const Times *t, int messages)
{
    const int kept = t->kept;
    double *mine = c->records, *all = mine + 2 * kept;
    const bool timed = is_timed(c);
    for (int i = 0; i < kept; i++) {
        mine[i] = timed ? -global_of(c->job, t->entries[i]) : -DBL_MAX;
    }
    for (int i = 0; i < kept; i++) /* forwards: kept is at most where the exits begin */
        mine[kept + i] = timed ? global_of(c->job, t->exits[i]) : -DBL_MAX;
    restore_variables(c->job);
    MPI_Reduce(mine, all, 2 * kept, MPI_DOUBLE, MPI_MAX, 0, c->job->comm);
    rewrite_variables(c->job);
    for (int i = 0; i < kept && c->job->rank == 0; i++)
        all[i] = (all[kept + i] + all[i]) / messages;
    return all;
}

static int messages_in_run(const Cell *c)
{
    if (c->kernel->windowed)
        return c->window;
    return c->kernel->messages_per_run > 1 ? c->kernel->messages_per_run : 1;
}

Samples measure_series(Cell *c, const Options *options, Run run, const char *quantity)
{
    const Plan plan = make_plan(c, options, run);
    Times times = {.entries = c->records, .exits = c->records + plan.repetitions};
    if (plan.target_computes)
        prepare_target(c, &plan);
    repeat(c, options, run, &plan, &times);
    double *samples = gather_samples(c, &times, plan.batch * messages_in_run(c));
    if (c->job->rank == 0)
        emit_series(c, &(Series){.quantity = quantity,
                                 .batch = plan.batch,
                                 .messages = messages_in_run(c),
                                 .discarded = times.discarded,
                                 .count = times.kept,
                                 .at_agreed_time = times.at_agreed_time,
                                 .samples_seconds = samples});
    return (Samples){samples, c->job->rank == 0 ? times.kept : 0};
}
