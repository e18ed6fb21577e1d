/* Cells of a candidate: the same operation with other settings, within one launch.
 *
 * Its control variables are written on every rank before the cell, and written back after it. Open
 * MPI reads them when a communicator is made, MPICH at each call: so a candidate has a communicator
 * of its own, which is made while they are written, and they stay written while it is measured. */
#include "harness.h"
#include <float.h>
#include <stdlib.h>

static const double FAR_BEHIND = 4; /* times what the quickest takes */

void open_candidates(Job *job, const Options *options)
{
    if (!options->candidate_count)
        return;
    job->candidates = options->candidates;
    job->candidate_comms = malloc((size_t)options->candidate_count * sizeof *job->candidate_comms);
    job->cell_seconds = calloc((size_t)options->cell_count, sizeof *job->cell_seconds);
    if (!job->candidate_comms || !job->cell_seconds || !open_variables(job))
        end_job(job, "cannot reach the control variables of this library (MPI_T)");
    for (int i = 0; i < options->candidate_count; i++)
        job->candidate_comms[i] = MPI_COMM_NULL;
}

void close_candidates(Job *job)
{
    if (job->candidate_comms)
        close_variables();
    free(job->candidate_comms);
    free(job->cell_seconds);
}

/* Over a long link every agreement counts, so this one is on the age of the clock as well. */
static bool all_begin_well(Cell *c)
{
    double age_seconds = rw_clock_age(&c->job->clock);
    if (!all_ranks_well_at(c, &age_seconds))
        return false;
    if (rw_clock_is_old(&c->job->clock, age_seconds)) {
        restore_variables(c->job);
        refresh_clock(c->job);
        rewrite_variables(c->job);
    }
    return true;
}

bool enter_candidate(Cell *c)
{
    Job *job = c->job;
    const int candidate = job->current->candidate;
    if (!candidate)
        return all_begin_well(c);
    MPI_Comm *own = &job->candidate_comms[candidate - 1];
    job->candidate = &job->candidates[candidate - 1];
    if (!c->failure[0])
        write_variables(job, c->failure, sizeof c->failure);
    if (!all_begin_well(c))
        return false;
    if (*own == MPI_COMM_NULL)
        MPI_Comm_dup(job->kernel_comm, own);
    c->comm = *own;
    return true;
}

void leave_candidate(Cell *c)
{
    restore_variables(c->job);
    c->job->candidate = NULL;
}

#if MPI_VERSION >= 3
/* True: no rank has failed, and `*seconds` is the slowest rank's. A rank that has failed waits so
 * long for the others, which may wait for it inside the operation for ever: then only the end of
 * the job helps. */
static bool nobody_failed(const Cell *c, double *seconds)
{
    const double patience_seconds = 10, begin = local_seconds(c->job);
    const double mine[2] = {c->failure[0] != 0, *seconds};
    double most[2];
    int met = 0;
    MPI_Request all;
    MPI_Iallreduce(mine, most, 2, MPI_DOUBLE, MPI_MAX, c->job->comm, &all);
    for (MPI_Test(&all, &met, MPI_STATUS_IGNORE); !met; MPI_Test(&all, &met, MPI_STATUS_IGNORE)) {
        if (c->failure[0] && local_seconds(c->job) - begin > patience_seconds)
            end_job(c->job, c->failure);
        wait_a_little(c);
    }
    *seconds = most[1];
    return most[0] == 0;
}

bool try_candidate(Cell *c, const Options *options)
{
    const Run run = run_of(c->kernel);
    if (!c->job->candidate || !run || c->kernel->streamed)
        return true;
    c->job->noted = c->failure;
    set_repetition(c, options, 0);
    const double begin = local_seconds(c->job);
    if (c->active && !c->failure[0])
        run(c);
    double seconds = local_seconds(c->job) - begin;
    restore_variables(c->job);
    const bool well = nobody_failed(c, &seconds);
    c->job->noted = NULL;
    if (well) {
        rewrite_variables(c->job);
        c->warmed_up = 1;
        c->warmup_seconds = seconds;
        return true;
    }
    all_ranks_well(c); /* which tells the reason to all */
    c->prepared = 0;   /* nobody knows what became of its requests */
    c->job->candidate_comms[c->job->current->candidate - 1] = MPI_COMM_NULL;
    return false;
}
#else
bool try_candidate(Cell *c, const Options *options)
{
    (void)c, (void)options;
    return true; /* there are no candidates here */
}
#endif

bool falls_behind(const Cell *c, const Options *options, double run_seconds)
{
    const CellRequest *now = c->job->current;
    double quickest = DBL_MAX;
    if (!c->job->cell_seconds)
        return false;
    c->job->cell_seconds[now - options->cells] = run_seconds;
    for (const CellRequest *one = options->cells; one < now; one++) {
        const double seconds = c->job->cell_seconds[one - options->cells];
        if (one->kernel == now->kernel && one->size_bytes == now->size_bytes && seconds > 0)
            quickest = seconds < quickest ? seconds : quickest;
    }
    return now->candidate && run_seconds / FAR_BEHIND > quickest;
}
