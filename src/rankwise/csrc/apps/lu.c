/* LU: symmetric successive over-relaxation. Each rank has a pencil of points, undivided along z; in
 * a plane a rank begins when those before it along x and y have ended. */
#include "blocks.h"
#include "flow.h"
#include <stdlib.h>
#include <string.h>

enum { CLASSES = 5, UP = 21, DOWN = 22, FORM = 1, SOLVE = 2, ADD = 3 };
static const struct {
    int width, steps;
    double step_seconds;
} problems[CLASSES] = {
    {12, 50, 0.5}, {33, 300, 1.5e-3}, {64, 250, 2}, {102, 250, 2}, {162, 250, 2}};
static const double relaxation = 1.2;

/* The derivatives by the point itself, and by those before it along each axis. */
typedef struct {
    double itself[BLOCK], before[3][BLOCK];
} PointBlocks;

typedef struct {
    AppRun *run;
    Flow flow;
    Box box;
    int lower[2], upper[2]; /* ranks beside it along x and y, MPI_PROC_NULL at the boundary */
    PointBlocks *blocks;    /* of one plane */
    double *out, *in;
} Pencil;

static void lay_out(const AppRun *run, int *ranks)
{
    ranks[0] = ranks[1] = 1;
    for (int left = run->ranks, axis = 0; left > 1; left /= 2, axis = !axis)
        ranks[axis] *= 2;
}

static void prepare(Pencil *p)
{
    const int class = class_number(p->run), rank = p->run->rank;
    int ranks[2];
    make_flow(&p->flow, p->run, problems[class].width, problems[class].steps,
              problems[class].step_seconds);
    lay_out(p->run, ranks);
    const int here[] = {rank % ranks[0], rank / ranks[0]}, apart[] = {1, ranks[0]};
    for (int axis = 0; axis < 2; axis++) {
        cut_axis(&p->flow, &p->box, axis, ranks[axis], here[axis]);
        p->lower[axis] = here[axis] > 0 ? rank - apart[axis] : MPI_PROC_NULL;
        p->upper[axis] = here[axis] + 1 < ranks[axis] ? rank + apart[axis] : MPI_PROC_NULL;
    }
    cut_axis(&p->flow, &p->box, 2, 1, 0);
    allocate_box(&p->flow, &p->box);
    const size_t wide = (size_t)p->box.count[0], deep = (size_t)p->box.count[1];
    const size_t layers = sizeof(double) * HALO * VALUES * (size_t)p->flow.width * (wide + deep);
    p->blocks = memory(p->run, sizeof(PointBlocks) * wide * deep);
    p->out = memory(p->run, layers);
    p->in = memory(p->run, layers);
}

/* Two layers of u go to the neighbour at `to`, and two come from that at `from`. */
static void pass_layers(Pencil *p, int axis, int to, int leaving, int from, int coming, int tag)
{
    const int across = p->box.count[!axis], size = HALO * VALUES * across * p->flow.width;
    MPI_Request request;
    if (from != MPI_PROC_NULL)
        MPI_Irecv(p->in, size, MPI_DOUBLE, from, tag, p->run->comm, &request);
    if (to != MPI_PROC_NULL) {
        copy_layers(&p->box, axis, leaving, p->out, false);
        MPI_Send(p->out, size, MPI_DOUBLE, to, tag, p->run->comm);
    }
    if (from != MPI_PROC_NULL) {
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        copy_layers(&p->box, axis, coming, p->in, true);
    }
}

static void find_residual(Pencil *p)
{
    for (int axis = 0; axis < 2; axis++) {
        const int count = p->box.count[axis];
        pass_layers(p, axis, p->upper[axis], count - HALO, p->lower[axis], -HALO, UP);
        pass_layers(p, axis, p->lower[axis], 0, p->upper[axis], count, DOWN);
    }
    COMPUTE(p->run, 0)
    {
        find_rhs(&p->flow, &p->box);
    }
}

/* The blocks of a plane, for the sweep that goes up (sign 1) or down (-1). */
static void form_blocks(Pencil *p, int z, int sign)
{
    const Box *box = &p->box;
    const double flux = p->flow.step_seconds * p->flow.first_difference;
    const double diffusing = p->flow.step_seconds * p->flow.second_difference;
    for (int y = box->first[1]; y < box->end[1]; y++)
        for (int x = box->first[0]; x < box->end[0]; x++) {
            PointBlocks *blocks = &p->blocks[y * box->count[0] + x];
            const ptrdiff_t at = box_index(box, x, y, z);
            memset(blocks, 0, sizeof *blocks);
            for (int m = 0; m < VALUES; m++)
                blocks->itself[(VALUES + 1) * m] = 1;
            for (int axis = 0; axis < 3; axis++) {
                const double *before = box->u + VALUES * (at - sign * box->step[axis]);
                add_diffusion_jacobian(box->u + VALUES * at, axis, 2 * diffusing, blocks->itself);
                add_flux_jacobian(before, axis, -sign * flux, blocks->before[axis]);
                add_diffusion_jacobian(before, axis, -diffusing, blocks->before[axis]);
            }
        }
}

/* One point of a sweep: upwards (D + L) v' = v, downwards v' = v - D^-1 U v'. */
static void solve_point(Pencil *p, int x, int y, int z, int sign)
{
    PointBlocks *blocks = &p->blocks[y * p->box.count[0] + x];
    double *here = p->box.rhs + VALUES * box_index(&p->box, x, y, z), right[VALUES] = {0};
    if (sign > 0)
        memcpy(right, here, sizeof right);
    for (int axis = 2; axis >= 0; axis--)
        subtract_times_vector(right, relaxation, blocks->before[axis],
                              here - sign * VALUES * p->box.step[axis]);
    solve_block(blocks->itself, right, NULL);
    for (int m = 0; m < VALUES; m++)
        here[m] = sign > 0 ? right[m] : here[m] + right[m];
}

static void solve_plane(Pencil *p, int z, int sign)
{
    const Box *b = &p->box;
    const int x_end = b->first[0] + b->end[0] - 1, y_end = b->first[1] + b->end[1] - 1;
    for (int y = b->first[1]; y < b->end[1]; y++)
        for (int x = b->first[0]; x < b->end[0]; x++)
            solve_point(p, sign > 0 ? x : x_end - x, sign > 0 ? y : y_end - y, z, sign);
}

/* The points of a plane's line at `place` along the axis, to the neighbour's side or from it. */
static void pass_line(Pencil *p, int z, int axis, int place, int rank, int tag, bool receive)
{
    Box *b = &p->box;
    const int size = VALUES * (b->end[!axis] - b->first[!axis]);
    double *line = receive ? p->in : p->out;
    if (rank == MPI_PROC_NULL)
        return;
    if (receive)
        MPI_Recv(line, size, MPI_DOUBLE, rank, tag, p->run->comm, MPI_STATUS_IGNORE);
    for (int i = b->first[!axis]; i < b->end[!axis]; i++, line += VALUES) {
        double *values =
            b->rhs + VALUES * (axis == 0 ? box_index(b, place, i, z) : box_index(b, i, place, z));
        memcpy(receive ? values : line, receive ? line : values, sizeof(double) * VALUES);
    }
    if (!receive)
        MPI_Send(p->out, size, MPI_DOUBLE, rank, tag, p->run->comm);
}

static void sweep_plane(Pencil *p, int z, int sign)
{
    const int tag = sign > 0 ? UP : DOWN;
    COMPUTE(p->run, FORM)
    {
        form_blocks(p, z, sign);
    }
    for (int axis = 0; axis < 2; axis++)
        pass_line(p, z, axis, sign > 0 ? -1 : p->box.count[axis],
                  sign > 0 ? p->lower[axis] : p->upper[axis], tag, true);
    COMPUTE(p->run, SOLVE)
    {
        solve_plane(p, z, sign);
    }
    for (int axis = 0; axis < 2; axis++)
        pass_line(p, z, axis, sign > 0 ? p->box.count[axis] - 1 : 0,
                  sign > 0 ? p->upper[axis] : p->lower[axis], tag, false);
}

static void iterate(Pencil *p, int steps)
{
    Box *box = &p->box;
    for (int step = 0; step < steps; step++) {
        scale_rhs(box, p->flow.step_seconds);
        for (int z = 1; z < p->flow.width - 1; z++)
            sweep_plane(p, z, 1);
        for (int z = p->flow.width - 2; z > 0; z--)
            sweep_plane(p, z, -1);
        COMPUTE(p->run, ADD)
        {
            add_rhs(box, 1 / (relaxation * (2 - relaxation)));
        }
        find_residual(p);
    }
}

/* Of the pressure over the sides of a box within the cube, by the trapezoidal rule: a point's
 * weight along an axis is 2, and 1 at both ends. */
static double surface_integral(const Pencil *p)
{
    const Box *b = &p->box;
    const int last = p->flow.width - 1, low[] = {1, 1, 2}, high[] = {last - 1, last - 2, last - 1};
    double sum = 0, all;
    EACH_POINT(b->first, b->end, x, y, z)
    {
        const int at[] = {b->low[0] + x, b->low[1] + y, z};
        const double *u = b->u + VALUES * box_index(b, x, y, z);
        const double moving = u[1] * u[1] + u[2] * u[2] + u[3] * u[3];
        int weights[3], sides = 0;
        for (int axis = 0; axis < 3; axis++)
            weights[axis] = at[axis] < low[axis] || at[axis] > high[axis]     ? 0
                            : at[axis] == low[axis] || at[axis] == high[axis] ? 1
                                                                              : 2;
        for (int axis = 0; axis < 3; axis++)
            if (weights[axis] == 1)
                sides += weights[(axis + 1) % 3] * weights[(axis + 2) % 3];
        sum += sides * (heat_ratio - 1) * (u[4] - 0.5 * moving / u[0]);
    }
    MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, p->run->comm);
    return 0.25 * all / p->flow.second_difference;
}

static double operations(const Flow *flow)
{
    const double n = flow->width;
    return flow->steps * (1984.77 * n * n * n - 10923.3 * n * n + 27770.9 * n - 144010);
}

static void run(AppRun *r)
{
    Pencil p = {.run = r};
    double residual[VALUES], error[VALUES];
    prepare(&p);
    set_forcing(&p.flow, &p.box);
    double begun = 0;
    for (int timed = 0; timed < 2; timed++) { /* first a step for pages and connections */
        set_initial(&p.flow, &p.box);
        find_residual(&p);
        rhs_norms(&p.flow, &p.box, 1, residual);
        begun = begin_timed(r);
        iterate(&p, timed ? p.flow.steps : 1);
    }
    rhs_norms(&p.flow, &p.box, 1, residual);
    end_timed(r, begun);
    r->operations = operations(&p.flow);
    error_norms(&p.flow, &p.box, 1, error);
    check_norms(r, LU, residual, error);
    check_surface_integral(r, surface_integral(&p));
    free_box(&p.box);
    free(p.blocks);
    free(p.out);
    free(p.in);
}

static const char *refuses(const AppRun *r)
{
    static const char *const most[CLASSES] = {"1, 2, 4 ... 16 ranks", "1, 2, 4 ... 64 ranks",
                                              "1, 2, 4 ... 256 ranks", "1, 2, 4 ... 1024 ranks",
                                              "1, 2, 4 ... 1024 ranks"};
    int ranks[2];
    lay_out(r, ranks); /* three points or more along each axis */
    return is_power_of_two(r->ranks) && problems[class_number(r)].width / ranks[0] >= 3
               ? NULL
               : most[class_number(r)];
}

APP(lu) = {
    .description = "over-relaxation: short messages to neighbours, plane after plane",
    .class_names = "SWABC",
    .refuses = refuses,
    .run = run,
};
