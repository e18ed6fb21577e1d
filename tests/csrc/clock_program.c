/* Clocks are synchronised although all ranks read one: rank 0 says by how much they are then off,
 * and by how much they may be according to rw_clock_error. */
#include "clock.h"
#include <math.h>
#include <stdio.h>
#include <time.h>

/* What the rank's global clock is ahead of the machine's, from the quickest of some readings. */
static double ahead_seconds(const RwClock *clock)
{
    double shortest = 1e9, ahead = 0;
    for (int i = 0; i < 1000; i++) {
        struct timespec begin, end;
        clock_gettime(CLOCK_MONOTONIC, &begin);
        const double global = rw_clock_global(clock, rw_clock_local(clock));
        clock_gettime(CLOCK_MONOTONIC, &end);
        const double took =
            (double)(end.tv_sec - begin.tv_sec) + 1e-9 * (double)(end.tv_nsec - begin.tv_nsec);
        if (took >= shortest)
            continue;
        shortest = took;
        ahead = global - (double)begin.tv_sec - 1e-9 * (double)begin.tv_nsec - took / 2;
    }
    return ahead;
}

int main(int argc, char **argv)
{
    RwClock clock;
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (rw_clock_start(&clock, MPI_COMM_WORLD, &(RwClockOptions){RW_CLOCK_SYNCHRONISED, 0, 0}))
        return 1;
    double ahead = ahead_seconds(&clock), reference = ahead, off;
    MPI_Bcast(&reference, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    ahead = fabs(ahead - reference);
    MPI_Reduce(&ahead, &off, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("off_seconds %.9f\nerror_seconds %.9f\nranks %d\nend\n", off, rw_clock_error(&clock),
               ranks);
    fflush(stdout);
    rw_clock_stop(&clock);
    MPI_Finalize();
    return 0;
}
