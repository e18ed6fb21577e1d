/* How a backend is opened, and how its MPI opens plug-ins. */
#define _GNU_SOURCE
#include "entry.h"

#include <dlfcn.h>
#include <string.h>

#include "backend.h"

#define PUBLIC __attribute__((visibility("default")))

PUBLIC const char *rankwise_abi_open(void *table, size_t bytes, const char *version);
PUBLIC void *dlopen(const char *file, int mode);
extern PUBLIC const int rankwise_abi_integers;
const int rankwise_abi_integers = sizeof(MPI_Comm) == sizeof(int);

PUBLIC bool rankwise_abi_hook(Turn *turn);

bool rankwise_abi_hook(Turn *turn)
{
    return has_hook(false) && (!turn || hook_turn(turn));
}

/* Where ranks share cores, something was preloaded that lets them yield (mpi/idle.h). */
static void yield_everywhere(void)
{
    void (*const yield)(void) = entry_of(RTLD_DEFAULT, "rankwise_yield_everywhere");
    if (yield)
        yield();
}

const char *rankwise_abi_open(void *table, size_t bytes, const char *version)
{
    if (bytes != sizeof backend_table || strcmp(version, TABLE_VERSION) != 0)
        return "this backend is of another version than what the program calls";
    define_constants();
    yield_everywhere();
    memcpy(table, &backend_table, bytes);
    return NULL;
}

/* The native library finds this before libc's: its plug-ins too have to see their own MPI_
   functions before those of the front end. What they load for all to see stays as it is. */
void *dlopen(const char *file, int mode)
{
    static void *(*real)(const char *, int);
    if (!real)
        real = (void *(*)(const char *, int))entry_of(RTLD_NEXT, "dlopen");
    if (file && !(mode & RTLD_GLOBAL) && !strstr(file, "libc.so"))
        mode |= RTLD_DEEPBIND;
    void *const opened = real(file, mode);
    if (opened && file)
        yield_everywhere();
    return opened;
}
