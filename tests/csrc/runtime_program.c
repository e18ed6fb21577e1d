/* Uses runtime/ as a program does that has it in a library. Rank 0 says `KEY VALUE` lines, `end`
 * last; what is to be 0 counts faults over all ranks. */
#define _GNU_SOURCE
#include "clock.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double true_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void sleep_milliseconds(long milliseconds)
{
    const struct timespec time = {milliseconds / 1000, milliseconds % 1000 * 1000000};
    nanosleep(&time, NULL);
}

static void say_sum(const RwBarrier *b, const char *key, int faults)
{
    int all;
    MPI_Reduce(&faults, &all, 1, MPI_INT, MPI_SUM, 0, b->comm);
    if (b->rank == 0)
        printf("%s %d\n", key, all);
}

static int wrong_maxima(const RwBarrier *b)
{
    double values[] = {b->rank, -b->rank, b->rank == b->ranks / 2 ? 7.5 : 0};
    const int error = rw_barrier_maximum(b, values, 3);
    return error != MPI_SUCCESS || values[0] != b->ranks - 1 || values[1] != 0 || values[2] != 7.5;
}

/* Each rank is late once; nobody may leave before it has come. */
static int left_early(const RwBarrier *b)
{
    int early = 0;
    for (int late = 0; late < b->ranks; late++) {
        double came, left, last, first;
        if (b->rank == late)
            sleep_milliseconds(20);
        came = true_seconds();
        early += rw_barrier_wait(b) != MPI_SUCCESS;
        left = true_seconds();
        MPI_Allreduce(&came, &last, 1, MPI_DOUBLE, MPI_MAX, b->comm);
        MPI_Allreduce(&left, &first, 1, MPI_DOUBLE, MPI_MIN, b->comm);
        early += first < last;
    }
    return early;
}

/* How far the ranks' readings of one moment differ, which all can name: they are on one machine. */
static void say_difference(const RwClock *clock, const RwBarrier *b, const char *key, int global)
{
    double shortest = 1e9, ahead = 0, most, least;
    for (int i = 0; i < 100; i++) {
        const double begin = true_seconds();
        const double local = rw_clock_local(clock);
        const double end = true_seconds();
        if (end - begin >= shortest)
            continue;
        shortest = end - begin;
        ahead = (global ? rw_clock_global(clock, local) : local) - (begin + end) / 2;
    }
    MPI_Reduce(&ahead, &most, 1, MPI_DOUBLE, MPI_MAX, 0, b->comm);
    MPI_Reduce(&ahead, &least, 1, MPI_DOUBLE, MPI_MIN, 0, b->comm);
    if (b->rank == 0)
        printf("%s %.9f\n", key, most - least);
}

/* Two clocks at once, of which one is skewed: neither knows of the other. */
static void use_clocks(const RwBarrier *b, MPI_Comm other)
{
    RwClock skewed, plain;
    int faults = rw_clock_start(&skewed, b->comm, &(RwClockOptions){RW_CLOCK_AUTO, 0.5, 1e-4});
    faults += rw_clock_start(&plain, other, &(RwClockOptions){RW_CLOCK_AUTO, 0, 0});
    say_difference(&skewed, b, "skewed_local_seconds", 0);
    say_difference(&skewed, b, "skewed_global_seconds", 1);
    say_difference(&plain, b, "plain_local_seconds", 0);
    say_difference(&plain, b, "plain_global_seconds", 1);
    sleep_milliseconds(1100); /* the offsets are old now */
    const double learnt_at = skewed.model.global_seconds;
    faults += rw_clock_refresh(&skewed) + rw_clock_refresh(&plain);
    faults += skewed.model.global_seconds - learnt_at < 1;
    say_difference(&skewed, b, "refreshed_global_seconds", 1);
    const double moment = rw_clock_local(&skewed);
    faults += fabs(rw_clock_local_of(&skewed, rw_clock_global(&skewed, moment)) - moment) > 1e-6;
    faults += !plain.shared || skewed.shared || rw_clock_error(&plain) != 0;
    faults += rw_clock_error(&skewed) <= 0 || rw_clock_error(&skewed) > 0.1;
    faults += plain.timer.cost_seconds <= 0 || plain.timer.cost_seconds > 1e-3;
    faults += rw_clock_stop(&skewed) + rw_clock_stop(&plain);
    say_sum(b, "clock_faults", faults);
}

static int unreturned_errors(const RwBarrier *b)
{
    double values[RW_MAXIMUM_VALUES + 1] = {0};
    RwTimeBase time;
    const RwClockModel model = {0, 0, 1, 0};
    rw_time_start(&time);
    return (rw_barrier_maximum(b, values, RW_MAXIMUM_VALUES + 1) == MPI_SUCCESS) +
           (rw_model_answer(&model, &time, b->comm, b->ranks) == MPI_SUCCESS);
}

int main(int argc, char **argv)
{
    MPI_Comm comm, other;
    RwBarrier b;
    MPI_Init(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_dup(MPI_COMM_WORLD, &other);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(other, MPI_ERRORS_RETURN);
    if (rw_barrier_open(&b, comm) != MPI_SUCCESS)
        return 1;
    if (b.rank == 0)
        printf("ranks %d\n", b.ranks);
    say_sum(&b, "wrong_maxima", wrong_maxima(&b));
    say_sum(&b, "left_early", left_early(&b));
    use_clocks(&b, other);
    say_sum(&b, "unreturned_errors", unreturned_errors(&b));
    if (b.rank == 0)
        puts("end 1");
    fflush(stdout);
    MPI_Comm_free(&comm);
    MPI_Comm_free(&other);
    MPI_Finalize();
    return 0;
}
