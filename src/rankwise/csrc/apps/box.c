/* Boxes of points: their places in the cube, their memory, the layers that ranks exchange. */
#include "flow.h"
#include <stdlib.h>

void make_flow(Flow *flow, AppRun *run, int width, int steps, double step_seconds)
{
    *flow = (Flow){.run = run, .width = width, .steps = steps, .step_seconds = step_seconds};
    flow->first_difference = (width - 1) / 2.0;
    flow->second_difference = (width - 1.0) * (width - 1.0);
}

void cut_axis(const Flow *flow, Box *box, int axis, int parts, int place)
{
    const int size = flow->width / parts, longer = flow->width % parts;
    box->count[axis] = size + (place < longer);
    box->low[axis] = place * size + (place < longer ? place : longer);
    box->first[axis] = place == 0;
    box->end[axis] = box->count[axis] - (place == parts - 1);
}

void allocate_box(const Flow *flow, Box *box)
{
    box->points = 1;
    for (int axis = 0; axis < 3; axis++) {
        box->step[axis] = (ptrdiff_t)box->points;
        box->points *= (size_t)(box->count[axis] + 2 * HALO);
    }
    double **const arrays[] = {&box->u, &box->rhs, &box->forcing, &box->inverse, &box->kinetic};
    for (int i = 0; i < 5; i++)
        *arrays[i] = memory(flow->run, sizeof(double) * box->points * (i < 3 ? VALUES : 1));
}

void free_box(Box *box)
{
    double *const arrays[] = {box->u, box->rhs, box->forcing, box->inverse, box->kinetic};
    for (int i = 0; i < 5; i++)
        free(arrays[i]);
}

int copy_layers(Box *box, int axis, int layer, double *layers, bool into)
{
    int start[3] = {0}, end[3] = {box->count[0], box->count[1], box->count[2]}, size = 0;
    start[axis] = layer;
    end[axis] = layer + HALO;
    EACH_POINT(start, end, x, y, z)
    {
        double *values = box->u + VALUES * box_index(box, x, y, z);
        for (int m = 0; m < VALUES; m++, size++)
            if (into)
                values[m] = layers[size];
            else
                layers[size] = values[m];
    }
    return size;
}
