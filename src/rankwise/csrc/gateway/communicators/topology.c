#include "topology.h"
#include <stdlib.h>
#include <string.h>

Topology *new_topology(int kind)
{
    Topology *t = calloc(1, sizeof *t);
    if (t) {
        t->kind = kind;
        t->uses = 1;
    }
    return t;
}

void release_topology(Topology *t)
{
    if (!t || --t->uses)
        return;
    free(t->dims);
    free(t->periods);
    free(t->index);
    free(t->edges);
    free(t->sources);
    free(t->in_weights);
    free(t->destinations);
    free(t->out_weights);
    free(t);
}

int *copy_of(const int *numbers, int count)
{
    int *copy = malloc((size_t)count * sizeof *copy + 1);
    if (copy && count)
        memcpy(copy, numbers, (size_t)count * sizeof *copy);
    return copy;
}
