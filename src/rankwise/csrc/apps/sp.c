/* SP: an approximate factorisation along the three axes, each diagonalised: for its eigenvalues v,
 * v + c and v - c, lines are scalar pentadiagonal systems. */
#include "eigenvectors.h"
#include "partition.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CLASSES = 5, FACTORS = 3, CHANGE = 5 };
static const struct {
    int width, steps;
    double step_seconds;
} problems[CLASSES] = {
    {12, 100, 0.015}, {36, 400, 0.0015}, {64, 400, 0.0015}, {102, 400, 0.001}, {162, 400, 0.00067}};

/* Of v, v + c and v - c; and which of them each component of the right side has. */
static const double sound_in_factor[FACTORS] = {0, 1, -1};
static const int factor_of[VALUES] = {0, 0, 0, 1, 2};

/* How a point depends on the next two after elimination, and its right side. */
typedef struct {
    double one[FACTORS], two[FACTORS];
} Dependence;
typedef struct {
    Dependence on;
    double right[VALUES];
} Row;
enum { ROW_VALUES = 2 * FACTORS + VALUES };

/* What the matrix takes from a point. */
typedef struct {
    double velocity, sound, spread;
} Character;

typedef struct {
    Partition partition;
    Dependence **on; /* of each cell's points */
} Scalars;

static Character character(const Box *cell, ptrdiff_t at, int axis)
{
    const double inverse = cell->inverse[at];
    return (Character){cell->u[VALUES * at + 1 + axis] * inverse, speed_of_sound(cell, at),
                       diffusion[axis] + conduction * viscosity * inverse};
}

/* Eliminates what a point has of the two before it; `around`: before it, itself, behind it. */
static void eliminate_point(const Flow *flow, const Character *around, const double *weights,
                            const Row *before, Row *here)
{
    const double flux = flow->step_seconds * flow->first_difference;
    const double diffusing = flow->step_seconds * flow->second_difference;
    const double damped = flow->step_seconds * damping, far = damped * weights[0];
    double scale[FACTORS], near[FACTORS];
    for (int f = 0; f < FACTORS; f++) {
        const double c = sound_in_factor[f];
        const double lower = damped * weights[1] - diffusing * around[0].spread -
                             flux * (around[0].velocity + c * around[0].sound);
        const double upper = damped * weights[3] - diffusing * around[2].spread +
                             flux * (around[2].velocity + c * around[2].sound);
        const double diagonal = 1 + damped * weights[2] + 2 * diffusing * around[1].spread;
        near[f] = lower - far * before[0].on.one[f];
        scale[f] = 1 / (diagonal - far * before[0].on.two[f] - near[f] * before[1].on.one[f]);
        here->on.one[f] = scale[f] * (upper - near[f] * before[1].on.two[f]);
        here->on.two[f] = scale[f] * damped * weights[4];
    }
    for (int m = 0; m < VALUES; m++)
        here->right[m] = scale[factor_of[m]] * (here->right[m] - far * before[0].right[m] -
                                                near[factor_of[m]] * before[1].right[m]);
}

static void eliminate_line(const Scalars *s, int number, int axis, ptrdiff_t start, Row *before)
{
    const Flow *flow = &s->partition.flow;
    const Box *cell = &s->partition.cells[number];
    const ptrdiff_t step = cell->step[axis];
    const int first = cell->first[axis];
    Character around[] = {{0, 0, 0},
                          character(cell, start + (first - 1) * step, axis),
                          character(cell, start + first * step, axis)};
    for (int i = first; i < cell->end[axis]; i++) {
        const ptrdiff_t at = start + i * step;
        Row here;
        around[0] = around[1];
        around[1] = around[2];
        around[2] = character(cell, at + step, axis);
        memcpy(here.right, cell->rhs + VALUES * at, sizeof here.right);
        eliminate_point(flow, around, damping_weights(flow, cell->low[axis] + i), before, &here);
        memcpy(cell->rhs + VALUES * at, here.right, sizeof here.right);
        s->on[number][at] = here.on;
        before[0] = before[1];
        before[1] = here;
    }
}

static void eliminate(void *program, int number, int axis, const double *from, double *to)
{
    const Scalars *s = program;
    const Box *cell = &s->partition.cells[number];
    EACH_LINE(cell, axis, x, y, z)
    {
        Row before[2] = {{{{0}, {0}}, {0}},
                         {{{0}, {0}}, {0}}}; /* at the boundary nothing changes */
        if (from) {
            memcpy(before, from, sizeof before);
            from += 2 * ROW_VALUES;
        }
        eliminate_line(s, number, axis, box_index(cell, x, y, z), before);
        if (to) {
            memcpy(to, before, sizeof before);
            to += 2 * ROW_VALUES;
        }
    }
}

static void substitute(void *program, int number, int axis, const double *from, double *to)
{
    const Scalars *s = program;
    const Box *cell = &s->partition.cells[number];
    static const double boundary[2 * VALUES];
    EACH_LINE(cell, axis, x, y, z)
    {
        const ptrdiff_t start = box_index(cell, x, y, z), step = cell->step[axis];
        const double *one = from ? from : boundary, *two = one + VALUES;
        for (int i = cell->end[axis] - 1; i >= cell->first[axis]; i--) {
            const Dependence *on = &s->on[number][start + i * step];
            double *right = cell->rhs + VALUES * (start + i * step);
            for (int m = 0; m < VALUES; m++)
                right[m] -= on->one[factor_of[m]] * one[m] + on->two[factor_of[m]] * two[m];
            two = one;
            one = right;
        }
        if (to) {
            memcpy(to, one, sizeof(double) * VALUES);
            memcpy(to + VALUES, two, sizeof(double) * VALUES);
            to += 2 * VALUES;
        }
        from = from ? from + 2 * VALUES : NULL;
    }
}

static void finish(void *program, int number, int axis)
{
    const Scalars *s = program;
    to_next_axis(&s->partition.cells[number], axis);
}

static void step(void *program)
{
    static const Sweep how = {.forwards = 2 * ROW_VALUES,
                              .backwards = 2 * VALUES,
                              .eliminate = eliminate,
                              .substitute = substitute,
                              .finish = finish};
    Scalars *s = program;
    COMPUTE(s->partition.flow.run, CHANGE)
    {
        for (int i = 0; i < s->partition.side; i++)
            to_first_axis(&s->partition.cells[i], s->partition.flow.step_seconds);
    }
    for (int axis = 0; axis < 3; axis++)
        sweep(&s->partition, &how, s, axis);
}

static void run(AppRun *r)
{
    const int class = class_number(r), width = problems[class].width;
    Scalars s;
    make_partition(&s.partition, r, width, problems[class].steps, problems[class].step_seconds);
    const int side = s.partition.side;
    s.on = memory(r, sizeof *s.on * (size_t)side);
    for (int i = 0; i < side; i++)
        s.on[i] = memory(r, sizeof(Dependence) * s.partition.cells[i].points);
    run_steps(&s.partition, SP, step, &s);
    r->operations = problems[class].steps *
                    (881.174 * pow(width, 3) - 4683.91 * pow(width, 2) + 11484.5 * width - 19272.4);
    for (int i = 0; i < side; i++)
        free(s.on[i]);
    free(s.on);
    free_partition(&s.partition);
}

static const char *refuses(const AppRun *r)
{
    return refuse_partition(r, problems[class_number(r)].width);
}

APP(sp) = {
    .description = "pentadiagonal lines: long messages to neighbours",
    .class_names = "SWABC",
    .refuses = refuses,
    .run = run,
};
