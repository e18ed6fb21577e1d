/* Optional, for programs whose traces should show their parts:
 *
 *     rankwise_region_begin("solver");
 *     ...
 *     rankwise_region_end("solver");
 *
 * They do nothing where the program does not run under `rankwise trace`, and need no library
 * (before glibc 2.34: -ldl). MPI_Pcontrol does the same without this header, with numbers instead
 * of names: a level of 2 or more begins the region of that number, its negative ends it. */
#ifndef RANKWISE_TRACE_H
#define RANKWISE_TRACE_H

#include <dlfcn.h>
#include <string.h>

static inline void rankwise_region_call(const char *function, const char *name)
{
    void (*call)(const char *);
    void *found = dlsym(dlopen(NULL, RTLD_LAZY), function);
    memcpy(&call, &found, sizeof call);
    if (found)
        call(name);
}

static inline void rankwise_region_begin(const char *name)
{
    rankwise_region_call("rankwise_trace_begin", name);
}

static inline void rankwise_region_end(const char *name)
{
    rankwise_region_call("rankwise_trace_end", name);
}

#endif
