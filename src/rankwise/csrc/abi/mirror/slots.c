/* Calls by PMPI_ names, which Fortran's libraries and tools make: they are led to the mirror too.
   And the MPI's own calls by MPI_ names, which are not meant for it.

   What preloads cannot reach is where each loaded object keeps the addresses of the functions that
   it calls (its GOT). In all objects but the MPI's own, those of PMPI_ functions that the mirror
   has are exchanged before the program starts; in the MPI's own, those of MPI_ functions. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "called_functions.h"
#include "mirror.h"

static const char prefix[] = "PMPI_";

static const void *base_of(const void *address)
{
    Dl_info info;
    return address && dladdr(address, &info) ? info.dli_fbase : NULL;
}

/* The MPI's own calls stay with it. Its libraries are known by what they define: LAM/MPI has a
   second one, for files. Its bindings of other languages, which define no such function, call it
   as programs do. */
static bool is_the_mpi(const struct dl_phdr_info *object)
{
    static const char *const defined[] = {"PMPI_Send", "PMPI_File_open"};
    for (size_t i = 0; i < sizeof defined / sizeof *defined; i++)
        if ((const void *)object->dlpi_addr == base_of(dlsym(RTLD_NEXT, defined[i])))
            return true;
    return false;
}

static void *mirrored(void *mirror, const char *name)
{
    void *const function = dlsym(mirror, name);
    return base_of(function) == base_of(prefix) ? function : NULL;
}

typedef struct {
    void *mirror;
    bool of_mpi;
} Caller;

static void *meant(const char *name, const void *context)
{
    const Caller *const caller = context;
    const bool profiled = !strncmp(name, prefix, sizeof prefix - 1);
    char other[128];
    if (!caller->of_mpi)
        return profiled ? mirrored(caller->mirror, name + 1) : NULL;
    if (profiled || strncmp(name, prefix + 1, sizeof prefix - 2) || !mirrored(caller->mirror, name))
        return NULL;
    snprintf(other, sizeof other, "P%s", name);
    return dlsym(RTLD_NEXT, other);
}

static int visit(struct dl_phdr_info *info, size_t bytes, void *mirror)
{
    (void)bytes;
    const Caller caller = {mirror, is_the_mpi(info)};
    if ((const void *)info->dlpi_addr != base_of(prefix))
        exchange_called(info, meant, &caller);
    return 0;
}

__attribute__((constructor)) static void exchange_slots(void)
{
    Dl_info own;
    void *const mirror =
        dladdr(prefix, &own) ? dlopen(own.dli_fname, RTLD_LAZY | RTLD_NOLOAD) : NULL;
    if (mirror)
        dl_iterate_phdr(visit, mirror);
}
