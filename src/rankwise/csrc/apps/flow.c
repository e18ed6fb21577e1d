/* The exact solution, what the computation starts from, and how far from it it ends. */
#include "flow.h"
#include <math.h>
#include <string.h>

/* Of one value: a constant, then the coefficients of x, y, z, of their squares, cubes and fourth
 * powers. */
static const double exact_coefficients[VALUES][13] = {
    {2, 0, 0, 4, 5, 3, 0.5, 0.02, 0.01, 0.03, 0.5, 0.4, 0.3},
    {1, 0, 0, 0, 1, 2, 3, 0.01, 0.03, 0.02, 0.4, 0.3, 0.5},
    {2, 2, 0, 0, 0, 2, 3, 0.04, 0.03, 0.05, 0.3, 0.5, 0.4},
    {2, 2, 0, 0, 0, 2, 3, 0.03, 0.05, 0.04, 0.2, 0.1, 0.3},
    {5, 4, 3, 2, 0.1, 0.4, 0.3, 0.05, 0.04, 0.03, 0.1, 0.3, 0.2},
};

/* At a place of the unit cube. */
static void exact_solution(const double *place, double *values)
{
    for (int m = 0; m < VALUES; m++) {
        const double *c = exact_coefficients[m];
        values[m] = c[0];
        for (int axis = 0; axis < 3; axis++)
            values[m] += place[axis] *
                         (c[1 + axis] +
                          place[axis] * (c[4 + axis] +
                                         place[axis] * (c[7 + axis] + place[axis] * c[10 + axis])));
    }
}

static void place_of(const Flow *flow, const Box *box, int x, int y, int z, double *place)
{
    const int at[] = {x, y, z};
    for (int axis = 0; axis < 3; axis++)
        place[axis] = (double)(box->low[axis] + at[axis]) / (flow->width - 1);
}

/* Between the exact solutions on the six faces: interpolated along each axis, the three combined.
 */
static void blend_faces(const double *place, double *values)
{
    double along[3][VALUES];
    for (int axis = 0; axis < 3; axis++) {
        double lower[VALUES], upper[VALUES], on_face[] = {place[0], place[1], place[2]};
        on_face[axis] = 0;
        exact_solution(on_face, lower);
        on_face[axis] = 1;
        exact_solution(on_face, upper);
        for (int m = 0; m < VALUES; m++)
            along[axis][m] = place[axis] * upper[m] + (1 - place[axis]) * lower[m];
    }
    for (int m = 0; m < VALUES; m++) {
        const double x = along[0][m], y = along[1][m], z = along[2][m];
        values[m] = x + y + z - x * y - x * z - y * z + x * y * z;
    }
}

void set_initial(const Flow *flow, Box *box)
{
    static const int start[3];
    EACH_POINT(start, box->count, x, y, z)
    {
        double place[3], *values = box->u + VALUES * box_index(box, x, y, z);
        bool inside = true;
        place_of(flow, box, x, y, z, place);
        for (int axis = 0; axis < 3; axis++)
            inside = inside && place[axis] > 0 && place[axis] < 1;
        if (inside)
            blend_faces(place, values);
        else
            exact_solution(place, values);
    }
}

void set_forcing(const Flow *flow, Box *box)
{
    const size_t bytes = sizeof(double) * box->points * VALUES;
    int start[3], end[3];
    for (int axis = 0; axis < 3; axis++) {
        start[axis] = -HALO;
        end[axis] = box->count[axis] + HALO;
    }
    EACH_POINT(start, end, x, y, z)
    {
        double place[3];
        place_of(flow, box, x, y, z, place);
        exact_solution(place, box->u + VALUES * box_index(box, x, y, z));
    }
    memset(box->forcing, 0, bytes);
    find_rhs(flow, box);
    for (size_t i = 0; i < box->points * VALUES; i++)
        box->forcing[i] = -box->rhs[i];
    memset(box->u, 0, bytes);
}

void add_rhs(Box *box, double factor)
{
    EACH_POINT(box->first, box->end, x, y, z)
    {
        const ptrdiff_t at = VALUES * box_index(box, x, y, z);
        for (int m = 0; m < VALUES; m++)
            box->u[at + m] += factor * box->rhs[at + m];
    }
}

void scale_rhs(Box *box, double factor)
{
    EACH_POINT(box->first, box->end, x, y, z)
    {
        double *rhs = box->rhs + VALUES * box_index(box, x, y, z);
        for (int m = 0; m < VALUES; m++)
            rhs[m] *= factor;
    }
}

static void root_mean_squares(const Flow *flow, const double *sums, double *norms)
{
    MPI_Allreduce((void *)sums, norms, VALUES, MPI_DOUBLE, MPI_SUM, flow->run->comm);
    for (int m = 0; m < VALUES; m++)
        norms[m] = sqrt(norms[m] / pow(flow->width - 2, 3));
}

void error_norms(const Flow *flow, const Box *boxes, int number, double norms[VALUES])
{
    double sums[VALUES] = {0};
    for (const Box *box = boxes; box < boxes + number; box++)
        EACH_POINT(box->first, box->end, x, y, z)
        {
            double place[3], exact[VALUES];
            const double *u = box->u + VALUES * box_index(box, x, y, z);
            place_of(flow, box, x, y, z, place);
            exact_solution(place, exact);
            for (int m = 0; m < VALUES; m++)
                sums[m] += (u[m] - exact[m]) * (u[m] - exact[m]);
        }
    root_mean_squares(flow, sums, norms);
}

void rhs_norms(const Flow *flow, const Box *boxes, int number, double norms[VALUES])
{
    double sums[VALUES] = {0};
    for (const Box *box = boxes; box < boxes + number; box++)
        EACH_POINT(box->first, box->end, x, y, z)
        {
            const double *rhs = box->rhs + VALUES * box_index(box, x, y, z);
            for (int m = 0; m < VALUES; m++)
                sums[m] += rhs[m] * rhs[m];
        }
    root_mean_squares(flow, sums, norms);
}
