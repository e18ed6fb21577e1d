#include "eigenvectors.h"

static const double root_half = 0.70710678118654752440;

void to_first_axis(Box *box, double factor)
{
    EACH_POINT(box->first, box->end, x, y, z)
    {
        const ptrdiff_t at = box_index(box, x, y, z);
        const double *u = box->u + VALUES * at, inverse = box->inverse[at];
        const double v[] = {u[1] * inverse, u[2] * inverse, u[3] * inverse};
        const double sound = speed_of_sound(box, at);
        double *r = box->rhs + VALUES * at;
        const double pressure =
            factor * (heat_ratio - 1) *
            (box->kinetic[at] * inverse * r[0] - v[0] * r[1] - v[1] * r[2] - v[2] * r[3] + r[4]);
        const double along = root_half * factor * inverse * (v[0] * r[0] - r[1]);
        const double acoustic = root_half * inverse * pressure / sound;
        const double of_density = factor * r[0] - pressure / (sound * sound);
        const double of_z = -factor * inverse * (v[2] * r[0] - r[3]);
        r[2] = factor * inverse * (v[1] * r[0] - r[2]);
        r[0] = of_density;
        r[1] = of_z;
        r[3] = acoustic - along;
        r[4] = acoustic + along;
    }
}

static void from_x_to_y(double *r)
{
    const double mean = 0.5 * (r[3] + r[4]), part = root_half * r[2], first = r[0];
    r[0] = -r[1];
    r[1] = first;
    r[2] = root_half * (r[3] - r[4]);
    r[3] = mean - part;
    r[4] = mean + part;
}

static void from_y_to_z(double *r)
{
    const double mean = 0.5 * (r[3] + r[4]), part = root_half * r[0], second = r[1];
    r[0] = root_half * (r[3] - r[4]);
    r[1] = -r[2];
    r[2] = second;
    r[3] = mean - part;
    r[4] = mean + part;
}

static void from_z_to_values(const Box *box, ptrdiff_t at, double *r)
{
    const double *u = box->u + VALUES * at, inverse = box->inverse[at];
    const double v[] = {u[1] * inverse, u[2] * inverse, u[3] * inverse};
    const double sound = speed_of_sound(box, at);
    const double acoustic = root_half * u[0] / sound * (r[3] + r[4]);
    const double along = root_half * u[0] * (r[3] - r[4]);
    const double density = r[2] + acoustic, turn_x = -u[0] * r[1], turn_y = u[0] * r[0];
    r[0] = density;
    r[1] = turn_x + v[0] * density;
    r[2] = turn_y + v[1] * density;
    r[3] = v[2] * density + along;
    r[4] = v[0] * turn_x + v[1] * turn_y + box->kinetic[at] * inverse * density +
           sound * sound * acoustic / (heat_ratio - 1) + v[2] * along;
}

void to_next_axis(Box *box, int axis)
{
    EACH_POINT(box->first, box->end, x, y, z)
    {
        const ptrdiff_t at = box_index(box, x, y, z);
        double *r = box->rhs + VALUES * at;
        if (axis == 0)
            from_x_to_y(r);
        else if (axis == 1)
            from_y_to_z(r);
        else
            from_z_to_values(box, at, r);
    }
}
