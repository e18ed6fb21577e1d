/* MG: V-cycles of a multigrid method for Poisson's equation on a periodic cube. */
#include "app.h"
#include "grid.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CLASSES = 5, MAX_LEVELS = 10 };
typedef struct {
    int levels, iterations;
    double smoother[4], norm;
} Problem;
#define SMOOTHER_A                                                                                 \
    {                                                                                              \
        -3.0 / 8, 1.0 / 32, -1.0 / 64, 0                                                           \
    }
#define SMOOTHER_B                                                                                 \
    {                                                                                              \
        -3.0 / 17, 1.0 / 33, -1.0 / 61, 0                                                          \
    }
static const Problem problems[CLASSES] = {{5, 4, SMOOTHER_A, 0.5307707005734e-4},
                                          {7, 4, SMOOTHER_A, 0.6467329375339e-5},
                                          {8, 4, SMOOTHER_A, 0.2433365309069e-5},
                                          {8, 20, SMOOTHER_B, 0.1800564401355e-5},
                                          {9, 20, SMOOTHER_B, 0.5706732285740e-6}};
/* By distance: the point itself, and those beside it along one, two and three axes. */
static const double operator[4] = {-8.0 / 3, 0, 1.0 / 6, 1.0 / 12};

typedef struct {
    AppRun *run;
    const Problem *problem;
    Ranks ranks;
    int top; /* the finest grid; grids[1] has two points along an axis */
    Grid grids[MAX_LEVELS + 1];
    double *u[MAX_LEVELS + 1], *r[MAX_LEVELS + 1], *v;
    double *ones, *twos; /* lines: sums of points beside a line along one and two axes */
} Cube;

static void prepare(Cube *c)
{
    size_t face = 0;
    lay_out_ranks(&c->ranks, c->run);
    c->problem = &problems[class_number(c->run)];
    c->top = c->problem->levels;
    for (int level = 1; level <= c->top; level++) {
        Grid *grid = &c->grids[level];
        make_grid(&c->ranks, grid, 1 << level);
        c->u[level] = memory(c->run, sizeof(double) * grid->size);
        c->r[level] = memory(c->run, sizeof(double) * grid->size);
        for (int axis = 0; axis < 3; axis++) {
            const size_t other = grid->size / ((size_t)grid->count[axis] + 2);
            face = other > face ? other : face;
        }
    }
    c->v = memory(c->run, sizeof(double) * c->grids[c->top].size);
    c->ranks.out = memory(c->run, sizeof(double) * face);
    c->ranks.in = memory(c->run, sizeof(double) * 2 * face);
    c->ones = memory(c->run, sizeof(double) * ((1U << c->top) + 2));
    c->twos = memory(c->run, sizeof(double) * ((1U << c->top) + 2));
}

static void release(Cube *c)
{
    for (int level = 1; level <= c->top; level++) {
        free(c->u[level]);
        free(c->r[level]);
    }
    double *const others[] = {c->v, c->ranks.out, c->ranks.in, c->ones, c->twos};
    for (int i = 0; i < 5; i++)
        free(others[i]);
}

/* out = base + sign * (the 27 points' sum of `in` with these weights), of one line along x. */
static void line(const Cube *c, const Grid *g, const double *in, const double *weights, double sign,
                 const double *base, double *out, int y, int z)
{
    const size_t wide = (size_t)g->count[0] + 2, deep = wide * ((size_t)g->count[1] + 2);
    const double *here = in + point(g, 0, y, z);
    const double *const lines[] = {here - wide, here + wide, here - deep, here + deep};
    double *ones = c->ones, *twos = c->twos;
    const size_t start = point(g, 0, y, z);
    for (size_t x = 0; x < wide; x++) {
        ones[x] = lines[0][x] + lines[1][x] + lines[2][x] + lines[3][x];
        twos[x] = lines[2][x - wide] + lines[2][x + wide] + lines[3][x - wide] + lines[3][x + wide];
    }
    for (size_t x = 1; x + 1 < wide; x++)
        out[start + x] =
            base[start + x] +
            sign * (weights[0] * here[x] + weights[1] * (here[x - 1] + here[x + 1] + ones[x]) +
                    weights[2] * (twos[x] + ones[x - 1] + ones[x + 1]) +
                    weights[3] * (twos[x - 1] + twos[x + 1]));
}

static void apply(const Cube *c, int level, const double *in, const double *weights, double sign,
                  const double *base, double *out)
{
    const Grid *g = &c->grids[level];
    if (g->active)
        COMPUTE(c->run, level == c->top ? 0 : 1)
        {
            for (int z = 1; z <= g->count[2]; z++)
                for (int y = 1; y <= g->count[1]; y++)
                    line(c, g, in, weights, sign, base, out, y, z);
        }
    exchange_faces(&c->ranks, g, out, false);
}

static double around(const Grid *g, const double *a, int x, int y, int z)
{
    static const double weights[4] = {0.5, 0.25, 0.125, 0.0625};
    double sum = 0;
    for (int k = -1; k <= 1; k++)
        for (int j = -1; j <= 1; j++)
            for (int i = -1; i <= 1; i++)
                sum += weights[abs(i) + abs(j) + abs(k)] * a[point(g, x + i, y + j, z + k)];
    return sum;
}

/* The next coarser residual: weighted means around every second point. */
static void restrict_to(const Cube *c, int level)
{
    const Grid *g = &c->grids[level], *fine = &c->grids[level + 1];
    int from[3];
    for (int axis = 0; axis < 3; axis++) /* a point's place on the finer grid is 2 i + from */
        from[axis] = 2 * g->low[axis] - fine->low[axis];
    if (g->active)
        COMPUTE(c->run, level + 1 == c->top ? 2 : 3)
        {
            for (int z = 1; z <= g->count[2]; z++)
                for (int y = 1; y <= g->count[1]; y++)
                    for (int x = 1; x <= g->count[0]; x++)
                        c->r[level][point(g, x, y, z)] =
                            around(fine, c->r[level + 1], 2 * x + from[0], 2 * y + from[1],
                                   2 * z + from[2]);
        }
    exchange_faces(&c->ranks, g, c->r[level], false);
}

/* The two coarse points that a fine one lies between, one and the same where it lies on one. */
static void between(const Grid *fine, const Grid *g, int axis, int at, int *first, int *second)
{
    const int place = fine->low[axis] + at - 1;       /* from -1, the layer's */
    *first = (place + 3) / 2 - 2 - g->low[axis] + 1;  /* floor((place - 1) / 2) */
    *second = (place + 2) / 2 - 1 - g->low[axis] + 1; /* floor(place / 2) */
    if (place % 2 != 0)
        *second = *first;
}

/* Adds the coarser correction, interpolated, also to the layer around. Ranks with coarse points
 * know those beside them since these were computed. */
static void interpolate_from(const Cube *c, int level)
{
    const Grid *g = &c->grids[level], *fine = &c->grids[level + 1];
    if (g->step[0] > 1 || g->step[1] > 1 || g->step[2] > 1)
        exchange_faces(&c->ranks, g, c->u[level], true);
    if (!fine->active)
        return;
    COMPUTE(c->run, level + 1 == c->top ? 4 : 5)
    {
        for (int z = 0; z < fine->count[2] + 2; z++)
            for (int y = 0; y < fine->count[1] + 2; y++) {
                int x0, x1, y0, y1, z0, z1;
                between(fine, g, 1, y, &y0, &y1);
                between(fine, g, 2, z, &z0, &z1);
                for (int x = 0; x < g->count[0] + 2; x++)
                    c->ones[x] =
                        c->u[level][point(g, x, y0, z0)] + c->u[level][point(g, x, y1, z0)] +
                        c->u[level][point(g, x, y0, z1)] + c->u[level][point(g, x, y1, z1)];
                for (int x = 0; x < fine->count[0] + 2; x++) {
                    between(fine, g, 0, x, &x0, &x1);
                    c->u[level + 1][point(fine, x, y, z)] += 0.125 * (c->ones[x0] + c->ones[x1]);
                }
            }
    }
}

static void clear(const Cube *c, int level)
{
    memset(c->u[level], 0, sizeof(double) * c->grids[level].size);
}

static void cycle(const Cube *c)
{
    const double *smoother = c->problem->smoother;
    for (int level = c->top - 1; level >= 1; level--)
        restrict_to(c, level);
    clear(c, 1);
    apply(c, 1, c->r[1], smoother, 1, c->u[1], c->u[1]);
    for (int level = 2; level <= c->top; level++) {
        if (level < c->top)
            clear(c, level);
        interpolate_from(c, level - 1);
        apply(c, level, c->u[level], operator, - 1, level < c->top ? c->r[level] : c->v,
              c->r[level]);
        apply(c, level, c->r[level], smoother, 1, c->u[level], c->u[level]);
    }
}

static void find_residual(const Cube *c)
{
    apply(c, c->top, c->u[c->top], operator, - 1, c->v, c->r[c->top]);
}

static double norm(const Cube *c)
{
    const Grid *g = &c->grids[c->top];
    double sum = 0, all;
    for (int z = 1; z <= g->count[2]; z++)
        for (int y = 1; y <= g->count[1]; y++)
            for (int x = 1; x <= g->count[0]; x++)
                sum += c->r[c->top][point(g, x, y, z)] * c->r[c->top][point(g, x, y, z)];
    MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, c->run->comm);
    return sqrt(all / pow(g->width, 3));
}

static void run(AppRun *r)
{
    Cube c = {.run = r};
    prepare(&c);
    place_charges(&c.ranks, &c.grids[c.top], c.v);
    find_residual(&c);
    cycle(&c); /* untimed: pages and connections are there afterwards */
    clear(&c, c.top);
    const double begun = begin_timed(r);
    find_residual(&c);
    norm(&c);
    for (int i = 0; i < c.problem->iterations; i++) {
        cycle(&c);
        find_residual(&c);
    }
    const double left = norm(&c);
    end_timed(r, begun);
    r->operations = 58.0 * c.problem->iterations * pow(c.grids[c.top].width, 3);
    check(r, "the residual's norm", left, c.problem->norm, 1e-8);
    release(&c);
}

APP(mg) = {
    .description = "multigrid: messages of all sizes between neighbours",
    .class_names = "SWABC",
    .refuses = refuse_unless_power_of_two,
    .run = run,
};
