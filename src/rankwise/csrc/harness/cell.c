/* One cell: may it run here, its ranks and buffers, and then measuring or verifying. */
#include "harness.h"
#include <stdlib.h>
#include <string.h>

static void choose_partner(Cell *c)
{
    const int half = c->ranks / 2;
    c->partner = -1;
    if (c->kernel->pairing == ENDS && c->ranks > 1 && (c->rank == 0 || c->rank == c->ranks - 1))
        c->partner = c->ranks - 1 - c->rank;
    if (c->kernel->pairing == HALVES && c->rank < 2 * half)
        c->partner = c->rank < half ? c->rank + half : c->rank - half;
    c->leads = c->rank < c->partner;
    c->active = c->kernel->pairing == EVERYONE || c->partner >= 0 ||
                (c->kernel->pairing == FIRST_ALONE && c->rank == 0);
}

/* Why this cell makes no sense here; the same on every rank. Empty: it does. */
static void find_objection(Cell *c, const Options *options)
{
    const Kernel *k = c->kernel;
    const bool derived = strcmp(options->layout, "contiguous") != 0;
    if (c->job->current->candidate && variables_unsupported())
        fail_cell(c, "%s", variables_unsupported());
    else if (k->unsupported)
        fail_cell(c, "%s", k->unsupported);
    else if (c->ranks < k->min_ranks)
        fail_cell(c, "needs at least %d ranks, not %d", k->min_ranks, c->ranks);
    else if (k->even_ranks && c->ranks % 2)
        fail_cell(c, "needs an even number of ranks, not %d", c->ranks);
    else if (derived && (k->plain_data || k->reduces))
        fail_cell(c, "takes contiguous data only, not the layout %s", options->layout);
    else if (k->unsized && c->size_bytes)
        fail_cell(c, "has no message: only size 0, not %zu", c->size_bytes);
    else if (!c->job->groups)
        fail_cell(c, "%d ranks do not divide into %d groups", c->job->ranks, options->groups);
    else if (options->groups > 1 && (k->whole || k->streamed))
        fail_cell(c, "takes all ranks of the launch, not groups of them");
    else if (options->in_place && k->in_place == NEVER_IN_PLACE)
        fail_cell(c, "cannot be done in place");
    else if (options->in_place && !HAS_IN_PLACE)
        fail_cell(c, "needs MPI_IN_PLACE, which this library lacks");
    else if (options->threads > 1 && !c->job->multithreaded)
        fail_cell(c, "this library does not allow several threads (MPI_THREAD_MULTIPLE)");
    else if (options->root >= c->ranks)
        fail_cell(c, "there is no root %d among %d ranks", options->root, c->ranks);
}

static void emit_cell_failure(const Cell *c, const char *kind)
{
    if (c->job->rank == 0)
        emit_failure(c->job->current, kind, c->failure);
}

/* The moments of all repetitions or messages, before any is measured: where one rank lacks the
 * memory for them, no rank begins. */
static void make_records(Cell *c, const Options *options)
{
    const size_t numbers = c->kernel->streamed ? (size_t)options->messages * STREAM_RECORDS
                                               : (size_t)options->max_repetitions * SERIES_RECORDS;
    if (!options->verify && !c->kernel->once)
        c->records = cell_memory(c, numbers * sizeof *c->records);
}

/* No page is first touched while timing, and reductions meet no denormals. */
static void fill_all_buffers(Cell *c)
{
    memset(c->pool, 1, c->pool_bytes);
    for (int region = 0; region < c->regions && c->kernel->reduces; region++) {
        next_buffers(c);
        c->kernel->data->fill(c);
        place_input(c);
    }
}

static void measure_cell(Cell *c, const Options *options)
{
    fill_all_buffers(c);
    set_repetition(c, options, 0);
    if (c->kernel->streamed)
        measure_stream(c, options);
    else if (c->kernel->category == PATTERN)
        measure_flows(c, options);
    else if (c->kernel->once)
        measure_once(c);
    else if (c->kernel->start)
        measure_overlap(c, options);
    else
        measure_series(c, options, c->kernel->run, "time");
}

static void use_cell(Cell *c, const Options *options)
{
    next_buffers(c);
    c->root = options->root == ROTATE ? 0 : options->root;
    if (c->kernel->setup)
        c->kernel->setup(c);
    if ((c->kernel->setup && !all_ranks_well(c)) || !try_candidate(c, options)) {
        emit_cell_failure(c, c->refused ? "unsupported" : "failed");
    } else if (options->verify) {
        const int repetitions = verify_cell(c, options);
        if (!repetitions)
            emit_cell_failure(c, c->wrong_data ? "wrong data" : "failed");
        else if (c->job->rank == 0)
            emit_verified(c->job->current, repetitions);
    } else {
        measure_cell(c, options);
    }
    free_prepared(c);
    if (c->kernel->teardown)
        c->kernel->teardown(c);
}

void run_cell(Job *job, const CellRequest *request, const Options *options)
{
    Cell c = {.kernel = request->kernel,
              .size_bytes = request->size_bytes,
              .comm = job->kernel_comm,
              .ranks = job->groups ? job->ranks / job->groups : job->ranks,
              .job = job,
              .threads = options->threads,
              .in_place = options->in_place,
              .sync = options->sync,
              .topology = options->topology,
              .folder = options->folder,
              .verifies = options->verify,
              .congestion_control = options->congestion_control};
    job->current = request;
    c.rank = job->rank % c.ranks;
    choose_partner(&c);
    find_objection(&c, options);
    if (c.failure[0]) {
        emit_cell_failure(&c, "unsupported");
        return;
    }
    make_message(&c, options);
    if (!c.failure[0])
        make_records(&c, options);
    if (enter_candidate(&c))
        use_cell(&c, options);
    else
        emit_cell_failure(&c, "failed");
    leave_candidate(&c);
    free(c.records);
    free_message(&c);
}
