/* Where a loaded object keeps the addresses of the functions that it calls (its GOT), which no
   preload reaches once they are found. */
#ifndef CALLED_FUNCTIONS_H
#define CALLED_FUNCTIONS_H

#include <elf.h>
#include <link.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <unistd.h>

#if defined(__x86_64__)
#define IS_SLOT(type) ((type) == R_X86_64_JUMP_SLOT || (type) == R_X86_64_GLOB_DAT)
#elif defined(__aarch64__)
#define IS_SLOT(type) ((type) == R_AARCH64_JUMP_SLOT || (type) == R_AARCH64_GLOB_DAT)
#else
#define IS_SLOT(type) false
#endif

/* The function that an object is to call by this name; NULL if that is right already. */
typedef void *Meant(const char *name, const void *context);

typedef struct {
    Meant *meant;
    const void *context;
    const char *names;
    const ElfW(Sym) * symbols;
    ElfW(Addr) base, fixed, fixed_end; /* what the loader has made read-only */
} Calling;

static inline void exchange_slot(const Calling *object, const ElfW(Rela) * slot)
{
    if (!IS_SLOT(ELF64_R_TYPE(slot->r_info)))
        return;
    const ElfW(Sym) *const symbol = &object->symbols[ELF64_R_SYM(slot->r_info)];
    void *const function = object->meant(object->names + symbol->st_name, object->context);
    const ElfW(Addr) place = object->base + slot->r_offset;
    if (!function || *(void **)place == function)
        return;
    const ElfW(Addr) size = (ElfW(Addr))sysconf(_SC_PAGESIZE), page = place & ~(size - 1);
    if (mprotect((void *)page, size, PROT_READ | PROT_WRITE))
        return;
    *(void **)place = function;
    if (place >= object->fixed && place < object->fixed_end)
        mprotect((void *)page, size, PROT_READ);
}

/* Exchanges what this object calls, as dl_iterate_phdr() tells of it. */
static inline void exchange_called(const struct dl_phdr_info *info, Meant *meant,
                                   const void *context)
{
    const ElfW(Dyn) *dynamic = NULL;
    Calling object = {.meant = meant, .context = context, .base = info->dlpi_addr};
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
    if (!object.names || !object.symbols)
        return;
    for (int which = 0; which < 2; which++)
        for (size_t i = 0; tables[which] && i < lengths[which]; i++)
            exchange_slot(&object, &tables[which][i]);
}

#endif
