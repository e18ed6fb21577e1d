#include "partition.h"
#include <stdio.h>
#include <stdlib.h>

enum { FACES = 6, RHS = 0, ELIMINATE = 1, SUBSTITUTE = 2, ADD = 3, FINISH = 4, MOST_TOLD = 30 };

static int root_of(int ranks)
{
    int side = 1;
    while ((side + 1) * (side + 1) <= ranks)
        side++;
    return side;
}

const char *refuse_partition(const AppRun *run, int width)
{
    static char instead[40];
    const int side = root_of(run->ranks), most = width / 3; /* points or more to a cell */
    snprintf(instead, sizeof instead, "1, 4, 9 ... %d ranks", most * most);
    return side * side == run->ranks && side <= most ? NULL : instead;
}

/* The number of this rank's cell that is at `stage` along the axis: ranks are laid out by the
 * places of their lowest cells; from one cell to the next x grows and y falls, around the cube. */
static int cell_at(const Partition *p, int axis, int stage)
{
    const int x = p->flow.run->rank % p->side, y = p->flow.run->rank / p->side;
    const int number[] = {stage - x, y - stage, stage};
    return (number[axis] + p->side) % p->side;
}

static int rank_at(const Partition *p, int x, int y)
{
    return (x + p->side) % p->side + p->side * ((y + p->side) % p->side);
}

void make_partition(Partition *p, AppRun *run, int width, int steps, double step_seconds)
{
    *p = (Partition){.side = root_of(run->ranks)};
    make_flow(&p->flow, run, width, steps, step_seconds);
    const int x = run->rank % p->side, y = run->rank / p->side;
    static const int beside[3][2] = {{1, 0}, {0, 1}, {-1, 1}};
    p->cells = memory(run, sizeof(Box) * (size_t)p->side);
    for (int axis = 0; axis < 3; axis++) {
        p->lower[axis] = rank_at(p, x - beside[axis][0], y - beside[axis][1]);
        p->upper[axis] = rank_at(p, x + beside[axis][0], y + beside[axis][1]);
        for (int stage = 0; stage < p->side; stage++)
            cut_axis(&p->flow, &p->cells[cell_at(p, axis, stage)], axis, p->side, stage);
    }
    for (int i = 0; i < p->side; i++)
        allocate_box(&p->flow, &p->cells[i]);
    const size_t most = (size_t)(width / p->side + 1), of_faces = (size_t)(HALO * VALUES * p->side);
    const size_t values = most * most * (of_faces > MOST_TOLD ? of_faces : MOST_TOLD);
    for (int i = 0; i < FACES; i++) {
        p->out[i] = memory(run, sizeof(double) * values);
        p->in[i] = memory(run, sizeof(double) * values);
    }
}

void free_partition(Partition *p)
{
    for (int i = 0; i < p->side; i++)
        free_box(&p->cells[i]);
    free(p->cells);
    for (int i = 0; i < FACES; i++) {
        free(p->out[i]);
        free(p->in[i]);
    }
}

/* Of all cells that have one beside them there: two layers to the side of a face, out of the cells,
 * or two into the layers around them. Faces: lower and upper along x, y and z. Returns the values.
 */
static int copy_faces(Partition *p, int face, double *values, bool into)
{
    const int axis = face / 2;
    const bool upper = face % 2;
    int size = 0;
    for (int i = 0; i < p->side; i++) {
        Box *cell = &p->cells[i];
        const int count = cell->count[axis];
        if (upper ? cell->low[axis] + count < p->flow.width : cell->low[axis] > 0)
            size += copy_layers(cell, axis,
                                upper  ? count - (into ? 0 : HALO)
                                : into ? -HALO
                                       : 0,
                                values + size, into);
    }
    return size;
}

static void exchange_faces(Partition *p)
{
    MPI_Request requests[2 * FACES];
    MPI_Status statuses[2 * FACES];
    int sizes[FACES];
    for (int face = 0; face < FACES; face++)
        sizes[face] = copy_faces(p, face, p->out[face], false);
    for (int face = 0; face < FACES; face++) {
        const int axis = face / 2, rank = face % 2 ? p->upper[axis] : p->lower[axis];
        MPI_Irecv(p->in[face], sizes[face], MPI_DOUBLE, rank, face, p->flow.run->comm,
                  &requests[face]);
    }
    for (int face = 0; face < FACES; face++) {
        const int axis = face / 2, rank = face % 2 ? p->upper[axis] : p->lower[axis];
        MPI_Isend(p->out[face], sizes[face], MPI_DOUBLE, rank, face ^ 1, p->flow.run->comm,
                  &requests[FACES + face]); /* there it is the opposite face */
    }
    MPI_Waitall(2 * FACES, requests, statuses);
    for (int face = 0; face < FACES; face++)
        copy_faces(p, face, p->in[face], true);
}

void find_all_rhs(Partition *p)
{
    if (p->side > 1)
        exchange_faces(p);
    COMPUTE(p->flow.run, RHS)
    {
        for (int i = 0; i < p->side; i++)
            find_rhs(&p->flow, &p->cells[i]);
    }
}

static int lines_of(const Box *cell, int axis)
{
    int lines = 1;
    for (int i = 0; i < 3; i++)
        if (i != axis)
            lines *= cell->end[i] - cell->first[i];
    return lines;
}

/* One way along the axis, from stage to stage. */
static void go(Partition *p, const Sweep *how, void *program, int axis, bool back)
{
    const int values = back ? how->backwards : how->forwards;
    const int from = back ? p->upper[axis] : p->lower[axis];
    const int to = back ? p->lower[axis] : p->upper[axis], tag = FACES + 2 * axis + back;
    MPI_Request requests[2]; /* of what comes, and of what left at the stage before */
    MPI_Status statuses[2];
    for (int done = 0; done < p->side; done++) {
        const int number = cell_at(p, axis, back ? p->side - 1 - done : done);
        const int size = values * (how->lines ? how->lines : lines_of(&p->cells[number], axis));
        const bool last = done + 1 == p->side;
        if (done > 0) {
            MPI_Irecv(p->in[0], size, MPI_DOUBLE, from, tag, p->flow.run->comm, &requests[0]);
            MPI_Waitall(2, requests, statuses);
        }
        COMPUTE(p->flow.run, back ? SUBSTITUTE : ELIMINATE)
        {
            (back ? how->substitute : how->eliminate)(
                program, number, axis, done > 0 ? p->in[0] : NULL, last ? NULL : p->out[0]);
        }
        if (!last)
            MPI_Isend(p->out[0], size, MPI_DOUBLE, to, tag, p->flow.run->comm, &requests[1]);
        if (back && how->finish)
            COMPUTE(p->flow.run, FINISH)
            {
                how->finish(program, number, axis);
            }
    }
}

void sweep(Partition *p, const Sweep *how, void *program, int axis)
{
    go(p, how, program, axis, false);
    go(p, how, program, axis, true);
}

static void do_step(Partition *p, void (*step)(void *program), void *program)
{
    find_all_rhs(p);
    step(program);
    COMPUTE(p->flow.run, ADD)
    {
        for (int i = 0; i < p->side; i++)
            add_rhs(&p->cells[i], 1);
    }
}

static void start_anew(Partition *p)
{
    for (int i = 0; i < p->side; i++)
        set_initial(&p->flow, &p->cells[i]);
}

void run_steps(Partition *p, Program which, void (*step)(void *program), void *program)
{
    double residual[VALUES], error[VALUES];
    for (int i = 0; i < p->side; i++)
        set_forcing(&p->flow, &p->cells[i]);
    start_anew(p);
    do_step(p, step, program); /* untimed: pages and connections are there afterwards */
    start_anew(p);
    const double begun = begin_timed(p->flow.run);
    for (int i = 0; i < p->flow.steps; i++)
        do_step(p, step, program);
    end_timed(p->flow.run, begun);
    error_norms(&p->flow, p->cells, p->side, error);
    find_all_rhs(p);
    rhs_norms(&p->flow, p->cells, p->side, residual);
    check_norms(p->flow.run, which, residual, error);
}
