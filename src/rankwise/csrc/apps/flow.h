/* What LU, SP and BT have in common: the compressible Navier-Stokes equations on a cube,
 * discretised by central differences, with a forcing term that makes a given polynomial their
 * solution (RNR-94-007, sections 3.3 to 3.6). A point's five values are density, three momenta,
 * energy. */
#ifndef RANKWISE_APPS_FLOW_H
#define RANKWISE_APPS_FLOW_H

#include "app.h"

enum { VALUES = 5, HALO = 2 };

static const double heat_ratio = 1.4; /* of the specific heats */
static const double viscosity = 0.1;
static const double conduction = 1.96; /* ratio of the heats / Prandtl number, as they have it */
static const double diffusion[3] = {0.75, 0.75, 1}; /* numerical, along x, y and z */
static const double damping = 0.25;                 /* of fourth differences */

typedef struct {
    AppRun *run;
    int width; /* points along each axis, with those of the boundary */
    double first_difference, second_difference; /* 1 / (2 h) and 1 / h^2 */
    double step_seconds;                        /* of pseudo time */
    int steps;
} Flow;

/* Points that a rank computes, with two layers around: a point's values are at VALUES * index. */
typedef struct {
    int low[3], count[3]; /* the first of its points, and how many */
    int first[3], end[3]; /* of those not on the boundary, counted from low */
    ptrdiff_t step[3];    /* from a point's index to that of the next along the axis */
    size_t points;        /* with the layers around */
    double *u, *rhs, *forcing;
    double *inverse, *kinetic; /* 1 / density, kinetic energy */
} Box;

static inline ptrdiff_t box_index(const Box *b, int x, int y, int z)
{
    return (x + HALO) * b->step[0] + (y + HALO) * b->step[1] + (z + HALO) * b->step[2];
}

/* For each point of z, y and x from FIRST to before END: int arrays of three. */
#define EACH_POINT(FIRST, END, X, Y, Z)                                                            \
    for (int Z = (FIRST)[2]; Z < (END)[2]; Z++)                                                    \
        for (int Y = (FIRST)[1]; Y < (END)[1]; Y++)                                                \
            for (int X = (FIRST)[0]; X < (END)[0]; X++)

/* box.c */
void make_flow(Flow *flow, AppRun *run, int width, int steps, double step_seconds);
/* Of `parts` along an axis the box is number `place`; the first ones are a point longer. */
void cut_axis(const Flow *flow, Box *box, int axis, int parts, int place);
/* Its memory, once the three axes are cut. */
void allocate_box(const Flow *flow, Box *box);
void free_box(Box *box);
/* Copies two layers of u across `axis`, from number `layer`, out of the box or into it, and returns
 * how many values they are; without the edges, which no difference needs. */
int copy_layers(Box *box, int axis, int layer, double *layers, bool into);

/* flow.c */
void set_initial(const Flow *flow, Box *box);
void set_forcing(const Flow *flow, Box *box);
/* u += factor * rhs, where it is not on the boundary; rhs *= factor. */
void add_rhs(Box *box, double factor);
void scale_rhs(Box *box, double factor);
/* The root mean squares of all ranks' points: of u less the exact solution, and of rhs. */
void error_norms(const Flow *flow, const Box *boxes, int number, double norms[VALUES]);
void rhs_norms(const Flow *flow, const Box *boxes, int number, double norms[VALUES]);

/* fluxes.c: rhs = forcing + the operator on u; the layers around are to be filled. */
void find_rhs(const Flow *flow, Box *box);
/* Weights of the fourth difference at this place along an axis, from two before to two behind. */
const double *damping_weights(const Flow *flow, int place);
/* Adds to `block` (rows of 5) the derivative of the flux along `axis`, or of the viscous and
 * numerical diffusion, by a point's values u, times `factor`. */
void add_flux_jacobian(const double *u, int axis, double factor, double *block);
void add_diffusion_jacobian(const double *u, int axis, double factor, double *block);

/* published.c: compares with the published norms, relative 1e-8. */
typedef enum { LU, SP, BT } Program;
void check_norms(AppRun *run, Program program, const double *residual, const double *error);
void check_surface_integral(AppRun *run, double found);

#endif
