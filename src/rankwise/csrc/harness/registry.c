/* The benchmarks, as their files registered them before main. */
#include "harness.h"
#include <string.h>

static Kernel *kernels;

void register_kernel(Kernel *kernel)
{
    Kernel **place = &kernels;
    while (*place && strcmp((*place)->name, kernel->name) < 0)
        place = &(*place)->next;
    kernel->next = *place;
    *place = kernel;
}

const Kernel *first_kernel(void)
{
    return kernels;
}

const Kernel *find_kernel(const char *name, size_t length)
{
    const Kernel *kernel = kernels;
    while (kernel && (strncmp(kernel->name, name, length) != 0 || kernel->name[length]))
        kernel = kernel->next;
    return kernel;
}

const char *category_name(Category category)
{
    static const char *const names[] = {
        [POINT_TO_POINT] = "point-to-point",
        [COLLECTIVE] = "collective",
        [NONBLOCKING] = "nonblocking",
        [PERSISTENT] = "persistent",
        [NEIGHBOURHOOD] = "neighbourhood",
        [ONE_SIDED] = "one-sided",
        [START_UP] = "start-up",
        [FILES] = "file",
        [GUIDELINE] = "guideline",
        [SCHEDULE] = "schedule",
        [PATTERN] = "pattern",
        [BASELINE] = "baseline",
        [HARNESS] = "harness",
    };
    return names[category];
}
