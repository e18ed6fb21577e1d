#include "kernel.h"

static double once(Cell *c)
{
    return init_seconds(c);
}

KERNEL(init) = {
    .category = START_UP,
    .description = "MPI_Init, until the last rank has left it: one sample a launch",
    .once = once,
    .unsized = true,
    .whole = true,
};
