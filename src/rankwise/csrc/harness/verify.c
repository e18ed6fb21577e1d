/* --verify: a few repetitions, each with other data, whose results every rank checks. */
#include "harness.h"
#include <stdint.h>
#include <string.h>

enum { REPETITIONS = 3, MOST_LATE_RANKS = 16 };
static const double LATE_SECONDS = 5e-3, COMPUTE_SECONDS = 1e-4;

/* FNV-1a over words; no copy, so that verifying needs no more memory than measuring. */
static uint64_t digest_of_send_buffer(const Cell *c)
{
    uint64_t digest = 14695981039346656037u;
    const size_t bytes = c->send_bytes + GUARD_BYTES;
    for (size_t i = 0; i < bytes; i += sizeof digest) {
        uint64_t word = 0;
        memcpy(&word, c->send + i, bytes - i < sizeof word ? bytes - i : sizeof word);
        digest = (digest ^ word) * 1099511628211u;
        digest ^= digest >> 29;
    }
    return digest;
}

static void verify_once(Cell *c, Run run)
{
    const Data *data = c->kernel->data;
    const bool left_over = c->kernel->category == GUIDELINE || c->in_place; /* of the input */
    const size_t free_bytes = left_over ? c->receive_bytes : 0;
    poison_buffers(c);
    if (data)
        data->fill(c);
    place_input(c);
    const uint64_t before = digest_of_send_buffer(c);
    wait_for_all(c->job);
    if (c->active)
        run(c);
    wait_for_all(c->job);
    if (data)
        data->check(c);
    if (digest_of_send_buffer(c) != before)
        report_wrong(c, "the send buffer of %zu bytes was changed, or what is behind it",
                     c->send_bytes);
    expect_untouched(c, c->receive + free_bytes, c->receive_bytes - free_bytes + GUARD_BYTES);
}

/* Nobody may leave before the last rank has come, which is a rank that is late on purpose, or one
 * that waited for a core still longer. What the clocks may be off is no proof. */
static void verify_barrier(Cell *c, Run run, int late_rank)
{
    const double error_seconds = rw_clock_error(&c->job->clock);
    struct {
        double seconds;
        int rank;
    } came = {0, c->rank}, last;
    wait_for_all(c->job);
    if (c->rank == late_rank)
        sleep_for(LATE_SECONDS + 2 * error_seconds);
    came.seconds = global_of(c->job, local_seconds(c->job));
    run(c);
    const double left = global_of(c->job, local_seconds(c->job));
    MPI_Allreduce(&came, &last, 1, MPI_DOUBLE_INT, MPI_MAXLOC, c->comm);
    if (left + error_seconds < last.seconds)
        report_wrong(c, "left the barrier %.3g ms before rank %d had come to it",
                     (last.seconds - left) * 1e3, last.rank);
}

/* One way to run the operation; true if all ranks found what they must. Each rank is the late one
 * in turn; of very many ranks, some. */
static bool verify_run(Cell *c, const Options *options, Run run, int first_repetition)
{
    const int late_ranks = c->ranks < MOST_LATE_RANKS ? c->ranks : MOST_LATE_RANKS;
    for (int i = 0; i < REPETITIONS; i++) {
        next_buffers(c);
        set_repetition(c, options, first_repetition + i);
        verify_once(c, run);
        if (!all_ranks_well(c))
            return false;
    }
    for (int i = 0; i < late_ranks && c->kernel->synchronises; i++) {
        verify_barrier(c, run, (int)((long)i * c->ranks / late_ranks));
        if (!all_ranks_well(c))
            return false;
    }
    return true;
}

int verify_cell(Cell *c, const Options *options)
{
    if (c->kernel->once || c->kernel->category == PATTERN)
        return 1; /* nothing that could be wrong: it happened, or there were no cell */
    if (!verify_run(c, options, run_of(c->kernel), 0))
        return 0;
    if (!c->kernel->start)
        return REPETITIONS;
    prepare_computing(c->job, options->polls);
    compute_for(c->job, COMPUTE_SECONDS);
    return verify_run(c, options, start_compute_and_wait, REPETITIONS) ? 2 * REPETITIONS : 0;
}
