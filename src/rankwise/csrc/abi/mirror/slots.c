/* Calls by PMPI_ names, which Fortran's libraries and tools make: they are led to the mirror too.
   And the MPI's own calls by MPI_ names, which are not meant for it.

   What preloads cannot reach is where each loaded object keeps the addresses of the functions that
   it calls (its GOT). In all objects but the MPI's own, those of PMPI_ functions that the mirror
   has are exchanged before the program starts; in the MPI's own, those of MPI_ functions. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "mirror.h"

#if defined(__x86_64__)
#define IS_SLOT(type) ((type) == R_X86_64_JUMP_SLOT || (type) == R_X86_64_GLOB_DAT)
#elif defined(__aarch64__)
#define IS_SLOT(type) ((type) == R_AARCH64_JUMP_SLOT || (type) == R_AARCH64_GLOB_DAT)
#else
#define IS_SLOT(type) false
#endif

static const char prefix[] = "PMPI_";

static const void *base_of(const void *address)
{
    Dl_info info;
    return address && dladdr(address, &info) ? info.dli_fbase : NULL;
}

/* The MPI's own calls stay with it: its library, what it is made of, and its plug-ins. */
static bool is_the_mpi(const struct dl_phdr_info *object)
{
    static const char *const parts[] = {"/libopen-", "/libmca_", "/mca_", "/liblam"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (strstr(object->dlpi_name, parts[i]))
            return true;
    return (const void *)object->dlpi_addr == base_of(dlsym(RTLD_NEXT, "PMPI_Send"));
}

static void *mirrored(void *mirror, const char *name)
{
    void *const function = dlsym(mirror, name);
    return base_of(function) == base_of(prefix) ? function : NULL;
}

/* The function that is to be called by this name; NULL if that is right already. */
static void *meant(void *mirror, const char *name, bool of_mpi)
{
    const bool profiled = !strncmp(name, prefix, sizeof prefix - 1);
    char other[128];
    if (!of_mpi)
        return profiled ? mirrored(mirror, name + 1) : NULL;
    if (profiled || strncmp(name, prefix + 1, sizeof prefix - 2) || !mirrored(mirror, name))
        return NULL;
    snprintf(other, sizeof other, "P%s", name);
    return dlsym(RTLD_NEXT, other);
}

typedef struct {
    void *mirror;
    bool of_mpi;
    const char *names;
    const ElfW(Sym) * symbols;
    ElfW(Addr) base, fixed, fixed_end; /* what the loader has made read-only */
} Object;

static void exchange(const Object *object, const ElfW(Rela) * slot)
{
    if (!IS_SLOT(ELF64_R_TYPE(slot->r_info)))
        return;
    const ElfW(Sym) *const symbol = &object->symbols[ELF64_R_SYM(slot->r_info)];
    void *const function = meant(object->mirror, object->names + symbol->st_name, object->of_mpi);
    if (!function)
        return;
    const ElfW(Addr) place = object->base + slot->r_offset;
    const ElfW(Addr) size = (ElfW(Addr))sysconf(_SC_PAGESIZE), page = place & ~(size - 1);
    if (mprotect((void *)page, size, PROT_READ | PROT_WRITE))
        return;
    *(void **)place = function;
    if (place >= object->fixed && place < object->fixed_end)
        mprotect((void *)page, size, PROT_READ);
}

static int visit(struct dl_phdr_info *info, size_t bytes, void *mirror)
{
    (void)bytes;
    const ElfW(Dyn) *dynamic = NULL;
    Object object = {.mirror = mirror, .base = info->dlpi_addr};
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *const part = &info->dlpi_phdr[i];
        if (part->p_type == PT_DYNAMIC)
            dynamic = (const void *)(info->dlpi_addr + part->p_vaddr);
        if (part->p_type == PT_GNU_RELRO) {
            object.fixed = info->dlpi_addr + part->p_vaddr;
            object.fixed_end = object.fixed + part->p_memsz;
        }
    }
    const ElfW(Rela) * tables[2] = {NULL, NULL};
    size_t lengths[2] = {0, 0};
    for (; dynamic && dynamic->d_tag != DT_NULL; dynamic++)
        switch (dynamic->d_tag) {
        case DT_SYMTAB:
            object.symbols = (const void *)dynamic->d_un.d_ptr;
            break;
        case DT_STRTAB:
            object.names = (const void *)dynamic->d_un.d_ptr;
            break;
        case DT_JMPREL:
            tables[0] = (const void *)dynamic->d_un.d_ptr;
            break;
        case DT_PLTRELSZ:
            lengths[0] = dynamic->d_un.d_val / sizeof **tables;
            break;
        case DT_RELA:
            tables[1] = (const void *)dynamic->d_un.d_ptr;
            break;
        case DT_RELASZ:
            lengths[1] = dynamic->d_un.d_val / sizeof **tables;
            break;
        }
    if (!object.names || !object.symbols || (const void *)object.base == base_of(prefix))
        return 0;
    object.of_mpi = is_the_mpi(info);
    for (int which = 0; which < 2; which++)
        for (size_t i = 0; tables[which] && i < lengths[which]; i++)
            exchange(&object, &tables[which][i]);
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
