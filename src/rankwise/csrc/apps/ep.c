/* EP: pairs of Gaussian deviates by the polar method, counted in square annuli. */
#include "app.h"
#include <math.h>

enum { LOG_BLOCK = 16, BLOCK = 1 << LOG_BLOCK, ANNULI = 10, CLASSES = 5 };
static const uint64_t seed = 271828183;
static const int log_pairs[CLASSES] = {24, 25, 28, 30, 32};
static const double expected_x[CLASSES] = {-3.247834652034740e3, -2.863319731645753e3,
                                           -4.295875165629892e3, 4.033815542441498e4,
                                           4.764367927995374e4};
static const double expected_y[CLASSES] = {-6.958407078382297e3, -6.320053679109499e3,
                                           -1.580732573678431e4, -2.660669192809235e4,
                                           -8.084072988043731e4};

typedef struct {
    double x, y, in_annulus[ANNULI];
} Sums;

static void one_block(int64_t block, Sums *sums)
{
    uint64_t state = seed * nas_power(NAS_MULTIPLIER, 2 * (uint64_t)block * BLOCK);
    state &= NAS_MODULUS - 1;
    for (int i = 0; i < BLOCK; i++) {
        const double x = 2 * nas_random(&state, NAS_MULTIPLIER) - 1;
        const double y = 2 * nas_random(&state, NAS_MULTIPLIER) - 1;
        const double square = x * x + y * y;
        if (square > 1)
            continue;
        const double factor = sqrt(-2 * log(square) / square);
        const double gauss_x = x * factor, gauss_y = y * factor;
        sums->in_annulus[(int)fmax(fabs(gauss_x), fabs(gauss_y))]++;
        sums->x += gauss_x;
        sums->y += gauss_y;
    }
}

static void run(AppRun *r)
{
    const int class = class_number(r);
    const int64_t blocks = INT64_C(1) << (log_pairs[class] - LOG_BLOCK);
    Sums mine = {0}, all = {0};
    const double begun = begin_timed(r);
    for (int64_t block = r->rank; block < blocks; block += r->ranks)
        COMPUTE(r, 0)
        {
            one_block(block, &mine);
        }
    MPI_Allreduce(&mine.x, &all.x, 1, MPI_DOUBLE, MPI_SUM, r->comm);
    MPI_Allreduce(&mine.y, &all.y, 1, MPI_DOUBLE, MPI_SUM, r->comm);
    MPI_Allreduce(mine.in_annulus, all.in_annulus, ANNULI, MPI_DOUBLE, MPI_SUM, r->comm);
    end_timed(r, begun);
    r->operations = ldexp(1, log_pairs[class] + 1); /* random numbers */
    check(r, "the sum of the deviates' x", all.x, expected_x[class], 1e-8);
    check(r, "the sum of the deviates' y", all.y, expected_y[class], 1e-8);
}

APP(ep) = {
    .description = "random numbers, three sums (embarrassingly parallel)",
    .class_names = "SWABC",
    .run = run,
};
