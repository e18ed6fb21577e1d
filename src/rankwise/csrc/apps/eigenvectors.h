/* The changes of variables between which SP's lines are scalar: right sides are taken to what the
 * derivative of the flux along x has for eigenvectors, from those to the ones along y, then along
 * z, and back (T. Pulliam and D. Chaussee, J. Comput. Phys. 39, 1981). */
#ifndef RANKWISE_APPS_EIGENVECTORS_H
#define RANKWISE_APPS_EIGENVECTORS_H

#include "flow.h"
#include <math.h>

static inline double speed_of_sound(const Box *box, ptrdiff_t at)
{
    return sqrt(heat_ratio * (heat_ratio - 1) * box->inverse[at] *
                (box->u[VALUES * at + 4] - box->kinetic[at]));
}

/* rhs of all points but those of the boundary: `factor` times, into the eigenvectors along x. */
void to_first_axis(Box *box, double factor);
/* From those along `axis` to those along the next one; from z to changes of the five values. */
void to_next_axis(Box *box, int axis);

#endif
