#include "kernel.h"

static void run(Cell *c)
{
    (void)c;
}

KERNEL(empty) = {
    .category = HARNESS,
    .description = "nothing at all: what the harness itself costs",
    .data = NULL,
    .run = run,
    .unsized = true,
};
