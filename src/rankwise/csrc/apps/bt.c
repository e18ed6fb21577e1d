/* BT: an approximate factorisation along the three axes, whose lines are block-tridiagonal systems.
 */
#include "blocks.h"
#include "partition.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CLASSES = 5, FORWARDS = BLOCK + ROW };
static const struct {
    int width, steps;
    double step_seconds;
} problems[CLASSES] = {
    {12, 60, 0.01}, {24, 200, 8e-4}, {64, 200, 8e-4}, {102, 200, 3e-4}, {162, 200, 1e-4}};

typedef struct {
    Partition partition;
    double **upper; /* of each cell: blocks by which lines depend on the next point */
    Sweep sweep;
} Blocks;

/* Eliminates at a point; the block and the right side of that before it, NULL at the boundary. */
static void eliminate_point(const Flow *flow, const double *u, ptrdiff_t step, int axis,
                            const double *upper_before, const double *before, double *upper,
                            double *right)
{
    const double flux = flow->step_seconds * flow->first_difference;
    const double diffusing = flow->step_seconds * flow->second_difference;
    double here[BLOCK] = {0}, lower[BLOCK] = {0};
    memset(upper, 0, sizeof lower);
    for (int m = 0; m < VALUES; m++)
        here[(ROW + 1) * m] = 1;
    add_diffusion_jacobian(u, axis, 2 * diffusing, here);
    add_flux_jacobian(u + VALUES * step, axis, flux, upper);
    add_diffusion_jacobian(u + VALUES * step, axis, -diffusing, upper);
    if (before) {
        add_flux_jacobian(u - VALUES * step, axis, -flux, lower);
        add_diffusion_jacobian(u - VALUES * step, axis, -diffusing, lower);
        subtract_times_vector(right, 1, lower, before);
        subtract_product(here, lower, upper_before);
    }
    solve_block(here, right, upper);
}

static void eliminate(void *program, int number, int axis, const double *from, double *to)
{
    Blocks *b = program;
    const Box *cell = &b->partition.cells[number];
    const ptrdiff_t step = cell->step[axis];
    EACH_LINE(cell, axis, x, y, z)
    {
        const ptrdiff_t start = box_index(cell, x, y, z);
        const double *upper_before = from, *before = from ? from + BLOCK : NULL;
        for (int i = cell->first[axis]; i < cell->end[axis]; i++) {
            const ptrdiff_t at = start + i * step;
            double *upper = b->upper[number] + BLOCK * at, *right = cell->rhs + VALUES * at;
            eliminate_point(&b->partition.flow, cell->u + VALUES * at, step, axis, upper_before,
                            before, upper, right);
            upper_before = upper;
            before = right;
        }
        if (to) {
            memcpy(to, upper_before, sizeof(double) * BLOCK);
            memcpy(to + BLOCK, before, sizeof(double) * ROW);
            to += FORWARDS;
        }
        from = from ? from + FORWARDS : NULL;
    }
}

static void substitute(void *program, int number, int axis, const double *from, double *to)
{
    const Blocks *b = program;
    const Box *cell = &b->partition.cells[number];
    EACH_LINE(cell, axis, x, y, z)
    {
        const ptrdiff_t start = box_index(cell, x, y, z);
        const double *next = from;
        for (int i = cell->end[axis] - 1; i >= cell->first[axis]; i--) {
            const ptrdiff_t at = start + i * cell->step[axis];
            double *right = cell->rhs + VALUES * at;
            if (next)
                subtract_times_vector(right, 1, b->upper[number] + BLOCK * at, next);
            next = right;
        }
        if (to) {
            memcpy(to, next, sizeof(double) * ROW);
            to += ROW;
        }
        from = from ? from + ROW : NULL;
    }
}

static void step(void *program)
{
    Blocks *b = program;
    for (int i = 0; i < b->partition.side; i++)
        scale_rhs(&b->partition.cells[i], b->partition.flow.step_seconds);
    for (int axis = 0; axis < 3; axis++)
        sweep(&b->partition, &b->sweep, b, axis);
}

static void run(AppRun *r)
{
    const int class = class_number(r), width = problems[class].width;
    Blocks b = {.sweep = {.forwards = FORWARDS, .backwards = ROW, .eliminate = eliminate}};
    make_partition(&b.partition, r, width, problems[class].steps, problems[class].step_seconds);
    const int side = b.partition.side, most = width / side + 1;
    b.sweep.substitute = substitute;
    b.sweep.lines = most * most; /* as the original does */
    b.upper = memory(r, sizeof *b.upper * (size_t)side);
    for (int i = 0; i < side; i++)
        b.upper[i] = memory(r, sizeof(double) * BLOCK * b.partition.cells[i].points);
    run_steps(&b.partition, BT, step, &b);
    r->operations = problems[class].steps *
                    (3478.8 * pow(width, 3) - 17655.7 * pow(width, 2) + 28023.7 * width);
    for (int i = 0; i < side; i++)
        free(b.upper[i]);
    free(b.upper);
    free_partition(&b.partition);
}

static const char *refuses(const AppRun *r)
{
    return refuse_partition(r, problems[class_number(r)].width);
}

APP(bt) = {
    .description = "block-tridiagonal lines: long messages to neighbours",
    .class_names = "SWABC",
    .refuses = refuses,
    .run = run,
};
