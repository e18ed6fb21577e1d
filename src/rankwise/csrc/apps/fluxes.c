/* The discretised operator: differences of fluxes along each axis, viscosity, numerical diffusion;
 * and its derivatives, of which the implicit solvers make their matrices. */
#include "flow.h"

const double *damping_weights(const Flow *flow, int place)
{
    static const double inside[] = {1, -4, 6, -4, 1}, first[] = {0, 0, 5, -4, 1},
                        second[] = {0, -4, 6, -4, 1}, last[] = {1, -4, 5, 0, 0},
                        second_last[] = {1, -4, 6, -4, 0};
    if (place <= 2)
        return place == 2 ? second : first;
    if (place >= flow->width - 3)
        return place == flow->width - 3 ? second_last : last;
    return inside;
}

static double second(double lower, double here, double upper)
{
    return lower - 2 * here + upper;
}

/* Adds what differences along one axis give at a point. */
static inline void add_along(const Flow *flow, const Box *box, ptrdiff_t at, int axis,
                             const double *weights, double *out)
{
    const ptrdiff_t step = box->step[axis];
    const double *u = box->u + VALUES * at, *lower = u - VALUES * step, *upper = u + VALUES * step;
    const double *further_down = lower - VALUES * step, *further_up = upper + VALUES * step;
    const int n = 1 + axis; /* the momentum along it */
    const double i = box->inverse[at], il = box->inverse[at - step], iu = box->inverse[at + step];
    const double k = box->kinetic[at], kl = box->kinetic[at - step], ku = box->kinetic[at + step];
    const double v = u[n] * i, vl = lower[n] * il, vu = upper[n] * iu;
    const double flux = flow->first_difference, viscous = viscosity * flow->second_difference;
    const double spread = diffusion[axis] * flow->second_difference;

    out[0] -= flux * (upper[n] - lower[n]);
    for (int m = 1; m < 4; m++)
        out[m] +=
            viscous * (m == n ? 4.0 / 3 : 1) * second(lower[m] * il, u[m] * i, upper[m] * iu) -
            flux * (upper[m] * vu - lower[m] * vl);
    out[n] -= flux * (heat_ratio - 1) * (upper[4] - ku - lower[4] + kl);
    out[4] += viscous * ((1 - conduction) * second(kl * il, k * i, ku * iu) +
                         second(vl * vl, v * v, vu * vu) / 6 +
                         conduction * second(lower[4] * il, u[4] * i, upper[4] * iu)) -
              flux * ((heat_ratio * upper[4] - (heat_ratio - 1) * ku) * vu -
                      (heat_ratio * lower[4] - (heat_ratio - 1) * kl) * vl);
    for (int m = 0; m < VALUES; m++)
        out[m] +=
            spread * second(lower[m], u[m], upper[m]) -
            damping * (weights[0] * further_down[m] + weights[1] * lower[m] + weights[2] * u[m] +
                       weights[3] * upper[m] + weights[4] * further_up[m]);
}

/* Of all points with one layer around; outside the cube, and at edges, where nothing is, 0. */
static void find_inverse_and_kinetic(Box *box)
{
    for (size_t i = 0; i < box->points; i++) {
        const double *u = box->u + VALUES * i;
        box->inverse[i] = u[0] > 0 ? 1 / u[0] : 0;
        box->kinetic[i] = 0.5 * (u[1] * u[1] + u[2] * u[2] + u[3] * u[3]) * box->inverse[i];
    }
}

void find_rhs(const Flow *flow, Box *box)
{
    find_inverse_and_kinetic(box);
    for (int z = box->first[2]; z < box->end[2]; z++)
        for (int y = box->first[1]; y < box->end[1]; y++) {
            const double *across_y = damping_weights(flow, box->low[1] + y);
            const double *across_z = damping_weights(flow, box->low[2] + z);
            for (int x = box->first[0]; x < box->end[0]; x++) {
                const ptrdiff_t at = box_index(box, x, y, z);
                double out[VALUES];
                for (int m = 0; m < VALUES; m++)
                    out[m] = box->forcing[VALUES * at + m];
                add_along(flow, box, at, 0, damping_weights(flow, box->low[0] + x), out);
                add_along(flow, box, at, 1, across_y, out);
                add_along(flow, box, at, 2, across_z, out);
                for (int m = 0; m < VALUES; m++)
                    box->rhs[VALUES * at + m] = out[m];
            }
        }
}

void add_flux_jacobian(const double *u, int axis, double factor, double *block)
{
    const double inverse = 1 / u[0], v[] = {u[1] * inverse, u[2] * inverse, u[3] * inverse};
    const double energy = heat_ratio * u[4] * inverse, pressure = factor * (heat_ratio - 1);
    const double half_square = 0.5 * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    const double along = factor * v[axis];
    const int n = 1 + axis;
    double *of_momentum = block + VALUES * n, *of_energy = block + VALUES * 4;
    block[n] += factor;
    for (int m = 0; m < 3; m++) {
        double *row = block + VALUES * (1 + m);
        row[0] -= along * v[m];
        row[1 + m] += along;
        row[n] += factor * v[m];
        of_momentum[1 + m] -= pressure * v[m];
        of_energy[1 + m] -= (heat_ratio - 1) * along * v[m];
    }
    of_momentum[0] += pressure * half_square;
    of_momentum[4] += pressure;
    of_energy[0] += along * (2 * (heat_ratio - 1) * half_square - energy);
    of_energy[n] += factor * energy - pressure * half_square;
    of_energy[4] += heat_ratio * along;
}

void add_diffusion_jacobian(const double *u, int axis, double factor, double *block)
{
    const double inverse = 1 / u[0], viscous = factor * viscosity * inverse;
    double *of_energy = block + VALUES * 4;
    for (int m = 0; m < 3; m++) {
        const double v = u[1 + m] * inverse, stress = m == axis ? 4.0 / 3 : 1;
        double *row = block + VALUES * (1 + m);
        row[0] -= viscous * stress * v;
        row[1 + m] += viscous * stress;
        of_energy[0] -= viscous * (stress - conduction) * v * v;
        of_energy[1 + m] += viscous * (stress - conduction) * v;
    }
    of_energy[0] -= viscous * conduction * u[4] * inverse;
    of_energy[4] += viscous * conduction;
    for (int m = 0; m < VALUES; m++)
        block[(VALUES + 1) * m] += factor * diffusion[axis];
}
