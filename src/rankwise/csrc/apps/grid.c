#include "grid.h"

enum { UP = 11, DOWN = 12, TOLD_UP = 13, TOLD_DOWN = 14 }; /* tags: where a message goes */

void lay_out_ranks(Ranks *ranks, const AppRun *run)
{
    *ranks = (Ranks){.run = run, .ranks = {1, 1, 1}};
    for (int axis = 2, left = run->ranks; left > 1; left /= 2, axis = (axis + 2) % 3)
        ranks->ranks[axis] *= 2;
    ranks->here[0] = run->rank % ranks->ranks[0];
    ranks->here[1] = run->rank / ranks->ranks[0] % ranks->ranks[1];
    ranks->here[2] = run->rank / ranks->ranks[0] / ranks->ranks[1];
}

/* The rank that is so many further along the axis; behind the last comes the first. */
static int beside(const Ranks *r, int axis, int distance)
{
    int place[3] = {r->here[0], r->here[1], r->here[2]};
    place[axis] = (place[axis] + distance + r->ranks[axis]) % r->ranks[axis];
    return (place[2] * r->ranks[1] + place[1]) * r->ranks[0] + place[0];
}

static bool has_points(const Ranks *r, int axis, int step)
{
    return (r->here[axis] + 1) % step == 0;
}

void make_grid(const Ranks *r, Grid *g, int width)
{
    g->width = width;
    g->active = g->held = true;
    g->size = 1;
    for (int axis = 0; axis < 3; axis++) {
        const int ranks = r->ranks[axis], here = r->here[axis];
        const int step = width >= ranks ? 1 : ranks / width;
        g->step[axis] = step;
        g->count[axis] = width >= ranks ? width / ranks : has_points(r, axis, step);
        g->low[axis] = width >= ranks ? here * g->count[axis] : (here + 1) / step - 1;
        if (g->count[axis] == 0) { /* between two that have points: the lower one's and one more */
            g->active = false;
            g->held = g->held && has_points(r, axis, step / 2);
            g->low[axis] = (here + 1) / step;
        }
        const int distance = g->count[axis] ? step : step / 2;
        g->lower[axis] = beside(r, axis, -distance);
        g->upper[axis] = beside(r, axis, distance);
        g->size *= (size_t)g->count[axis] + 2;
    }
}

/* Copies a layer across `axis` out of the array or into it, and returns its size. Along axes whose
 * turn is yet to come it has no neighbours' points. */
static int copy_face(const Grid *g, double *array, int axis, int layer, double *face, bool into)
{
    int low[3], high[3], size = 0;
    for (int i = 0; i < 3; i++) {
        low[i] = i < axis ? 0 : 1;
        high[i] = i < axis ? g->count[i] + 1 : g->count[i];
    }
    low[axis] = high[axis] = layer;
    for (int z = low[2]; z <= high[2]; z++)
        for (int y = low[1]; y <= high[1]; y++)
            for (int x = low[0]; x <= high[0]; x++, size++)
                if (into)
                    array[point(g, x, y, z)] = face[size];
                else
                    face[size] = array[point(g, x, y, z)];
    return size;
}

static int face_size(const Grid *g, int axis)
{
    int size = 1;
    for (int i = 0; i < 3; i++)
        if (i != axis)
            size *= g->count[i] + (i < axis ? 2 : 0);
    return size;
}

static void send(const Ranks *r, const Grid *g, double *array, int axis, int layer, int to, int tag)
{
    const int size = copy_face(g, array, axis, layer, r->out, false);
    if (size)
        MPI_Send(r->out, size, MPI_DOUBLE, to, tag, r->run->comm);
}

/* Receives the layers from below and above, of which one is `out` while the other comes. */
static void swap_along(const Ranks *r, const Grid *g, double *array, int axis)
{
    const int size = face_size(g, axis), last = g->count[axis];
    MPI_Request requests[2];
    if (!size)
        return;
    MPI_Irecv(r->in, size, MPI_DOUBLE, g->lower[axis], UP, r->run->comm, &requests[0]);
    MPI_Irecv(r->in + size, size, MPI_DOUBLE, g->upper[axis], DOWN, r->run->comm, &requests[1]);
    send(r, g, array, axis, last, g->upper[axis], UP);
    send(r, g, array, axis, 1, g->lower[axis], DOWN);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    copy_face(g, array, axis, 0, r->in, true);
    copy_face(g, array, axis, last + 1, r->in + size, true);
}

static void wrap_around(const Ranks *r, const Grid *g, double *array, int axis)
{
    copy_face(g, array, axis, g->count[axis], r->out, false);
    copy_face(g, array, axis, 0, r->out, true);
    copy_face(g, array, axis, 1, r->out, false);
    copy_face(g, array, axis, g->count[axis] + 1, r->out, true);
}

/* The only layer of ranks with points goes to those between them as well. */
static void tell_along(const Ranks *r, const Grid *g, double *array, int axis)
{
    const int size = face_size(g, axis), half = g->step[axis] / 2;
    if (g->count[axis]) {
        send(r, g, array, axis, 1, beside(r, axis, half), TOLD_UP);
        send(r, g, array, axis, 1, beside(r, axis, -half), TOLD_DOWN);
    } else if (size) {
        MPI_Recv(r->in, size, MPI_DOUBLE, g->lower[axis], TOLD_UP, r->run->comm, MPI_STATUS_IGNORE);
        copy_face(g, array, axis, 0, r->in, true);
        MPI_Recv(r->in, size, MPI_DOUBLE, g->upper[axis], TOLD_DOWN, r->run->comm,
                 MPI_STATUS_IGNORE);
        copy_face(g, array, axis, 1, r->in, true);
    }
}

void exchange_faces(const Ranks *r, const Grid *g, double *array, bool told)
{
    if (!(told ? g->held : g->active))
        return;
    for (int axis = 0; axis < 3; axis++) {
        if (g->count[axis] && r->ranks[axis] == g->step[axis])
            wrap_around(r, g, array, axis);
        else if (g->count[axis])
            swap_along(r, g, array, axis);
        if (told && g->step[axis] > 1)
            tell_along(r, g, array, axis);
    }
}
