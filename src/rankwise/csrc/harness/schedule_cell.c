/* A schedule as a benchmark: it is made before anything is timed, for each root once. */
#include "../execution/execution.h"
#include "../schedules/network_file.h"
#include "harness.h"
#include "schedule_kernel.h"
#include <stdlib.h>
#include <string.h>

typedef struct {
    Schedule schedule;
    Execution *memory; /* of its executions */
    bool made;
} Rooted;

typedef struct {
    Problem problem;
    int64_t *counts;
    Network *network;
    Rooted *of_root; /* shape (ranks) */
} State;

static const ScheduleKernel *kernel_of(const Cell *c)
{
    return (const ScheduleKernel *)c->kernel;
}

/* Of alltoallv the ranks' shares are exchanged (exchange_shares): rank i sends rank j share i + j.
 */
static int64_t sent_elements(const Cell *c, int from, int to)
{
    return c->counts[((from + to - c->rank) % c->ranks + c->ranks) % c->ranks];
}

static void describe_counts(Cell *c, State *state)
{
    const ScheduleKernel *kernel = kernel_of(c);
    const bool alltoall = kernel->operation == ALLTOALL;
    const bool matrix = alltoall && kernel->algorithm && kernel->algorithm->needs_all_counts;
    const size_t ranks = (size_t)c->ranks;
    state->counts = cell_memory(c, (matrix ? ranks * ranks : ranks) * sizeof *state->counts);
    for (int row = 0; state->counts && row < (matrix ? c->ranks : 1); row++)
        for (int rank = 0; rank < c->ranks; rank++)
            state->counts[(size_t)row * ranks + (size_t)rank] =
                matrix ? sent_elements(c, row, rank) : c->counts[rank];
    state->problem.counts = state->counts;
    if (alltoall && state->counts) /* the row of this rank: what it sends is what it receives */
        state->problem.send_counts = state->counts + (matrix ? (size_t)c->rank * ranks : 0);
}

/* Of the ranks of this cell, which are neighbours in the job. */
static void describe_network(Cell *c, State *state)
{
    const Job *job = c->job;
    const char **hosts = cell_memory(c, (size_t)c->ranks * sizeof *hosts);
    char reason[FAILURE_BYTES] = "no memory for the network";
    if (!hosts)
        return;
    for (int rank = 0; rank < c->ranks; rank++)
        hosts[rank] = host_of(job, job->rank - c->rank + rank);
    state->network = job->network_file[0]
                         ? read_network(job->network_file, hosts, c->ranks, reason, sizeof reason)
                         : network_of_hosts(hosts, c->ranks);
    free(hosts);
    if (!state->network)
        fail_cell(c, "%s", reason);
    state->problem.network = state->network;
}

static void describe_problem(Cell *c, State *state)
{
    const ScheduleKernel *kernel = kernel_of(c);
    const int64_t element_bytes = (int64_t)c->element.item_bytes * c->element.items;
    const int64_t segment = kernel->segment_bytes / element_bytes;
    state->problem = (Problem){.operation = kernel->operation,
                               .rank = c->rank,
                               .ranks = c->ranks,
                               .root = c->root,
                               .count = c->count,
                               .commutative = true, /* all of --operation are */
                               .segment = kernel->segment_bytes && !segment ? 1 : segment,
                               .fan_out = (int)kernel->fan_out,
                               .lanes = (int)kernel->lanes,
                               .element_bytes = element_bytes};
    if (kernel->has_counts)
        describe_counts(c, state);
    if (kernel->algorithm->for_networks)
        describe_network(c, state);
}

static const char *make_for_root(Cell *c, int root)
{
    State *state = c->state;
    Rooted *rooted = &state->of_root[root];
    if (!rooted->made) {
        Problem problem = state->problem;
        problem.root = root;
        make_schedule(&rooted->schedule, kernel_of(c)->algorithm, &problem);
        rooted->made = true;
    }
    return rooted->schedule.failure;
}

static void setup(Cell *c)
{
    const ScheduleKernel *kernel = kernel_of(c);
    if (kernel->native->setup)
        kernel->native->setup(c);
    State *state = cell_memory(c, sizeof *state);
    c->state = state;
    if (!state)
        return;
    state->of_root = cell_memory(c, (size_t)c->ranks * sizeof *state->of_root);
    describe_problem(c, state);
    if (c->failure[0])
        return;
    const char *reason = make_for_root(c, c->root);
    if (reason)
        refuse_cell(c, "%s: %s", c->kernel->name, reason);
}

/* There are no requests to be kept. */
static int prepare(Cell *c)
{
    const char *reason = make_for_root(c, c->root);
    if (reason)
        end_job(c->job, reason);
    return 0;
}

static Call call_of(const Cell *c)
{
    Call call = {.input = c->send,
                 .output = c->receive,
                 .type = c->type,
                 .op = c->kernel->reduces ? c->op : MPI_OP_NULL,
                 .comm = c->comm};
    if (!is_in_place(c))
        return call;
    switch (kernel_of(c)->operation) {
    case SCATTER:
        call.output = block_at(c, c->send, c->rank);
        break;
    case GATHER:
    case ALLGATHER:
        call.input = block_at(c, c->receive, c->rank);
        break;
    default:
        call.input = c->receive;
    }
    return call;
}

static void run(Cell *c)
{
    State *state = c->state;
    Rooted *rooted = &state->of_root[c->root];
    const Call call = call_of(c);
    const int error = execute(&rooted->schedule, &call, &rooted->memory);
    if (error != MPI_SUCCESS) /* MPI's own end the job before */
        end_job(c->job, error == MPI_ERR_OP ? "this library cannot reduce these data on one rank"
                                            : "the schedule cannot be carried out");
}

static void teardown(Cell *c)
{
    State *state = c->state;
    for (int root = 0; state && state->of_root && root < c->ranks; root++) {
        free_execution(state->of_root[root].memory);
        free_schedule(&state->of_root[root].schedule);
    }
    if (state) {
        free(state->of_root);
        free(state->counts);
        free_network(state->network);
    }
    free(state);
}

const Kernel schedule_kernel = {
    .setup = setup, .prepare = prepare, .run = run, .teardown = teardown};
