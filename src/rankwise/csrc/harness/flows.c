/* Concurrent messages: each is started at its own moment after a common start, and its time is from
 * there until its receiver has it.
 *
 * Ranks may share cores with one another and with an emulated network, all of which a rank that
 * polls would slow: with --yield a rank that waits sleeps between its tests, and stays asleep until
 * the last flow of all has ended. What arrives meanwhile waits in the socket, so the naps must be
 * short beside what a socket's buffer holds at the network's rate.
 *
 * Every repetition begins after an idle time that is longer than TCP's shortest retransmission
 * timeout, so that all connections start from the same state. */
#include "flow_names.h"
#include "harness.h"
#include <stdlib.h>
#include <string.h>

enum { WARM_UP_BYTES = 1 << 18, MOST_REPETITIONS = 1000, MOST_LATE = 4, DONE = 30000 };
static const double NAP_SECONDS = 5e-4, LONG_NAP_SECONDS = 5e-3, IDLE_SECONDS = 0.26;
static const double LATE_SECONDS = 2e-3; /* of a flow's start: such a repetition is discarded */

/* The flows of this rank, in the pattern's order. */
typedef struct {
    int *flows; /* numbers; the rest is by their order here */
    MPI_Request *requests;
    char *started;
    double *ended; /* of those received here, on this rank's clock; shape (flows of the pattern) */
    double latest; /* start of a flow, after it was due */
    int count;
    MPI_Request *waiting; /* shape (ranks): while others have flows */
} State;

static const PatternKernel *pattern_of(const Cell *c)
{
    return (const PatternKernel *)c->kernel;
}

static int bytes_of(const Cell *c, const Flow *flow)
{
    return flow->bytes == OF_CELL ? (int)c->size_bytes : flow->bytes;
}

static void setup(Cell *c)
{
    const PatternKernel *pattern = pattern_of(c);
    const size_t count = (size_t)pattern->count;
    size_t received = 0, sent = 0;
    State *state = c->state = cell_memory(c, sizeof *state);
    if (!state)
        return;
    state->flows = cell_memory(c, count * sizeof *state->flows);
    state->requests = cell_memory(c, count * sizeof(MPI_Request));
    state->started = cell_memory(c, count);
    state->ended = cell_memory(c, count * sizeof *state->ended);
    state->waiting = cell_memory(c, (size_t)c->ranks * sizeof(MPI_Request));
    for (int i = 0; i < pattern->count && state->flows; i++) {
        const Flow *flow = &pattern->flows[i];
        const size_t bytes = (size_t)bytes_of(c, flow);
        if (c->rank == flow->from || c->rank == flow->to)
            state->flows[state->count++] = i;
        received += c->rank == flow->to ? bytes : 0;
        sent = c->rank == flow->from && bytes > sent ? bytes : sent;
    }
    c->scratch_bytes = received + sent;
    c->scratch = cell_memory(c, c->scratch_bytes);
    if (c->scratch)
        memset(c->scratch, 1, c->scratch_bytes);
}

static void teardown(Cell *c)
{
    State *state = c->state;
    if (!state)
        return;
    free(state->flows);
    free(state->requests);
    free(state->started);
    free(state->ended);
    free(state->waiting);
    free(c->scratch);
    free(state);
}

static void nap(const Cell *c, double until, double longest)
{
    const double left = until - local_seconds(c->job);
    if (c->job->yields && left > 0)
        sleep_for(left < longest ? left : longest);
}

static void wait_for_requests(const Cell *c, MPI_Request *requests, int count)
{
    for (int i = 0; i < count; i++) {
        int ended = 0;
        while (MPI_Test(&requests[i], &ended, MPI_STATUS_IGNORE), !ended)
            nap(c, local_seconds(c->job) + LONG_NAP_SECONDS, LONG_NAP_SECONDS);
    }
}

/* All ranks leave this when the last has come; none of them spins meanwhile. */
static void wait_for_others(const Cell *c)
{
    State *state = c->state;
    int requests = 0;
    for (int way = 0; way < 2; way++) { /* to rank 0, and back */
        requests = 0;
        for (int rank = 1; rank < c->ranks; rank++) {
            MPI_Request *request = &state->waiting[requests];
            if (c->rank != 0 && c->rank != rank)
                continue;
            if ((c->rank == 0) == (way == 0))
                MPI_Irecv(NULL, 0, MPI_BYTE, c->rank ? 0 : rank, DONE + way, c->comm, request);
            else
                MPI_Isend(NULL, 0, MPI_BYTE, c->rank ? 0 : rank, DONE + way, c->comm, request);
            requests++;
        }
        wait_for_requests(c, state->waiting, requests);
    }
}

/* Flows that are due begin; returns when the next one is. */
static double start_flows(Cell *c, double begin, bool receives, int most_bytes)
{
    const PatternKernel *pattern = pattern_of(c);
    State *state = c->state;
    double next = begin + 1e9;
    char *into = c->scratch;
    for (int i = 0; i < state->count; i++) {
        const Flow *flow = &pattern->flows[state->flows[i]];
        const bool here = flow->to == c->rank;
        const int whole = bytes_of(c, flow), bytes = whole < most_bytes ? whole : most_bytes;
        const double due = begin + flow->start_seconds;
        const int tag = state->flows[i] % DONE;
        if (here && receives)
            MPI_Irecv(into, bytes, MPI_BYTE, flow->from, tag, c->comm, &state->requests[i]);
        into += here ? whole : 0;
        if (here || receives || state->started[i])
            continue;
        const double late = local_seconds(c->job) - due;
        if (late < 0) {
            next = due < next ? due : next;
            continue;
        }
        state->latest = late > state->latest ? late : state->latest;
        char *from = c->scratch + c->scratch_bytes - whole;
        MPI_Isend(from, bytes, MPI_BYTE, flow->to, tag, c->comm, &state->requests[i]);
        state->started[i] = true;
    }
    return next;
}

/* All flows once, from the local time `begin` on; the moments of arrival go to state->ended. */
static void run_flows(Cell *c, double begin, int most_bytes)
{
    State *state = c->state;
    int left = state->count;
    while (left) {
        const double next = start_flows(c, begin, false, most_bytes);
        for (int i = 0; i < state->count; i++) {
            int ended = 0;
            if (state->requests[i] == MPI_REQUEST_NULL)
                continue;
            MPI_Test(&state->requests[i], &ended, MPI_STATUS_IGNORE);
            if (!ended)
                continue;
            left--;
            if (pattern_of(c)->flows[state->flows[i]].to == c->rank)
                state->ended[state->flows[i]] = local_seconds(c->job);
        }
        if (left)
            nap(c, next, NAP_SECONDS);
    }
}

static void prepare_flows(Cell *c, int most_bytes)
{
    State *state = c->state;
    memset(state->started, 0, (size_t)state->count);
    state->latest = 0;
    for (int i = 0; i < state->count; i++)
        state->requests[i] = MPI_REQUEST_NULL;
    start_flows(c, 0, true, most_bytes);
}

static void run(Cell *c)
{
    prepare_flows(c, INT32_MAX);
    run_flows(c, local_seconds(c->job), INT32_MAX);
    wait_for_others(c);
}

/* Connections are made at the first message of a pair. */
static void warm_up(Cell *c)
{
    prepare_flows(c, WARM_UP_BYTES);
    wait_for_all(c->job);
    run_flows(c, local_seconds(c->job) - 1e6, WARM_UP_BYTES); /* all at once */
    wait_for_others(c);
}

/* Not as other benchmarks wait (start.c): ranks that all spin at once are late where they share
 * cores, and here only those that begin a flow have to be in time. */
static void sleep_until(const Cell *c, double begin)
{
    Start start = {.at_agreed_time = true, .local_seconds = begin};
    if (!c->job->yields)
        wait_for_start(c->job, &start);
    for (double left = 1; c->job->yields && left > 0;) {
        left = begin - local_seconds(c->job);
        if (left > 0)
            sleep_for(left);
    }
}

/* Returns by how much the latest flow began late, and puts the flows' seconds into `seconds`. */
static double repeat_flows(Cell *c, double idle_seconds, double *seconds)
{
    const PatternKernel *pattern = pattern_of(c);
    State *state = c->state;
    prepare_flows(c, INT32_MAX);
    const double begin = start_after(c->job, idle_seconds);
    sleep_until(c, begin);
    run_flows(c, begin, INT32_MAX);
    double late = state->latest;
    wait_for_others(c);
    for (int i = 0; i < pattern->count; i++) {
        const double due = global_of(c->job, begin) + pattern->flows[i].start_seconds;
        seconds[i] = pattern->flows[i].to == c->rank ? global_of(c->job, state->ended[i]) - due : 0;
    }
    agree_on_maximum(c->job, &late, 1);
    return late;
}

/* All that rank 0 says of it: the time until the last flow has ended as a series, and of each flow,
 * repetition by repetition, its time beside its number. */
static void emit_flows(const Cell *c, double *seconds, double *numbers, int kept, int discarded)
{
    const PatternKernel *pattern = pattern_of(c);
    const int flows = pattern->count;
    emit_timeline(c, &(Timeline){.quantity = "flow",
                                 .count = kept * flows,
                                 .times_seconds = seconds,
                                 .values = numbers});
    for (int i = 0; i < kept; i++) {
        double last = 0;
        for (int f = 0; f < flows; f++) {
            const double end = seconds[i * flows + f] + pattern->flows[f].start_seconds;
            last = end > last ? end : last;
        }
        seconds[i] = last;
    }
    emit_series(c, &(Series){.quantity = "time",
                             .batch = 1,
                             .count = kept,
                             .discarded = discarded,
                             .at_agreed_time = true,
                             .samples_seconds = seconds});
}

void measure_flows(Cell *c, const Options *options)
{
    const int flows = pattern_of(c)->count;
    const int most =
        options->max_repetitions < MOST_REPETITIONS ? options->max_repetitions : MOST_REPETITIONS;
    const size_t numbers = (size_t)most * (size_t)flows;
    const double idle_seconds = options->idle_seconds >= 0 ? options->idle_seconds : IDLE_SECONDS;
    double *mine = cell_memory(c, 2 * numbers * sizeof *mine), *all = mine ? mine + numbers : NULL;
    int kept = 0, discarded = 0;
    double enough = 0;
    if (!all_ranks_well(c)) {
        if (c->job->rank == 0)
            emit_failure(c->job->current, "failed", c->failure);
        free(mine);
        return;
    }
    warm_up(c);
    const double begin = local_seconds(c->job);
    while (kept < most && !(enough != 0 && kept >= options->min_repetitions)) {
        const double late = repeat_flows(c, idle_seconds, mine + (size_t)kept * (size_t)flows);
        if (late <= LATE_SECONDS || discarded >= MOST_LATE)
            kept++;
        else
            discarded++;
        enough = c->job->rank == 0 && local_seconds(c->job) - begin > options->seconds;
        agree_on_maximum(c->job, &enough, 1);
    }
    MPI_Reduce(mine, all, kept * flows, MPI_DOUBLE, MPI_MAX, 0, c->job->comm);
    for (int i = 0; i < kept * flows; i++)
        mine[i] = i % flows;
    if (c->job->rank == 0)
        emit_flows(c, all, mine, kept, discarded);
    free(mine);
}

const Kernel flow_kernel = {
    .category = PATTERN,
    .description = "concurrent messages, each timed from its own start",
    .run = run,
    .setup = setup,
    .teardown = teardown,
    .plain_data = true,
    .whole = true,
};
