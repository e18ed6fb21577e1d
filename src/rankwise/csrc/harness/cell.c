/* One cell: may it run here, its ranks and buffers, and then measuring or verifying. */
#include "harness.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void fail_cell(Cell *c, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(c->failure, sizeof c->failure, format, arguments);
    va_end(arguments);
}

bool all_ranks_well(Cell *c)
{
    enum { BYTES = sizeof c->failure + 1 };
    char mine[BYTES], *all = malloc((size_t)c->ranks * BYTES);
    memcpy(mine, c->failure, sizeof c->failure);
    mine[BYTES - 1] = (char)c->wrong_data;
    MPI_Allgather(mine, BYTES, MPI_BYTE, all, BYTES, MPI_BYTE, world.comm);
    int rank = 0;
    while (rank < c->ranks && !all[(size_t)rank * BYTES])
        rank++;
    if (rank < c->ranks) {
        memcpy(c->failure, all + (size_t)rank * BYTES, sizeof c->failure);
        c->wrong_data = all[(size_t)rank * BYTES + BYTES - 1];
    }
    free(all);
    return rank == c->ranks;
}

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
    if (k->lacks)
        fail_cell(c, "%s", k->lacks);
    else if (c->ranks < k->min_ranks)
        fail_cell(c, "needs at least %d ranks, not %d", k->min_ranks, c->ranks);
    else if (k->even_ranks && c->ranks % 2)
        fail_cell(c, "needs an even number of ranks, not %d", c->ranks);
    else if (derived && (k->plain_data || k->reduces))
        fail_cell(c, "takes contiguous data only, not the layout %s", options->layout);
    else if (k->unsized && c->size_bytes)
        fail_cell(c, "has no message: only size 0, not %zu", c->size_bytes);
    else if (options->root >= c->ranks)
        fail_cell(c, "there is no root %d among %d ranks", options->root, c->ranks);
}

static void emit_cell_failure(const Cell *c, const char *kind)
{
    if (c->rank == 0)
        emit_failure(c->kernel->name, c->size_bytes, kind, c->failure);
}

void set_repetition(Cell *c, const Options *options, int repetition)
{
    c->repetition = repetition;
    c->root = options->root == ROTATE ? repetition % c->ranks : options->root;
}

/* No page is first touched while timing, and reductions meet no denormals. */
static void fill_all_buffers(Cell *c)
{
    memset(c->pool, 1, c->pool_bytes);
    for (int region = 0; region < c->regions && c->kernel->reduces; region++) {
        next_buffers(c);
        c->kernel->data->fill(c);
    }
}

static void use_cell(Cell *c, const Options *options)
{
    set_repetition(c, options, 0);
    next_buffers(c);
    if (c->kernel->setup)
        c->kernel->setup(c);
    if (c->kernel->setup && !all_ranks_well(c)) {
        emit_cell_failure(c, "failed");
    } else if (options->verify) {
        if (!verify_cell(c, options))
            emit_cell_failure(c, c->wrong_data ? "wrong data" : "failed");
        else if (c->rank == 0)
            emit_verified(c->kernel->name, c->size_bytes, VERIFY_REPETITIONS);
    } else {
        fill_all_buffers(c);
        measure_cell(c, options);
    }
    if (c->kernel->teardown)
        c->kernel->teardown(c);
}

void run_cell(const CellRequest *request, const Options *options)
{
    Cell c = {.kernel = request->kernel,
              .size_bytes = request->size_bytes,
              .comm = world.kernel_comm,
              .rank = world.rank,
              .ranks = world.ranks,
              .congestion_control = options->congestion_control};
    world.current = request;
    refresh_clock();
    choose_partner(&c);
    find_objection(&c, options);
    if (c.failure[0]) {
        emit_cell_failure(&c, "unsupported");
        return;
    }
    make_message(&c, options);
    if (all_ranks_well(&c))
        use_cell(&c, options);
    else
        emit_cell_failure(&c, "failed");
    free_message(&c);
}
