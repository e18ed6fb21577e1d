/* What a front end and whatever is below it say to one another.

   A front end loads one library, which RANKWISE_ABI_BACKEND names, and calls its rankwise_abi_open.
   That is a backend, or a layer with the same entry that loads the next library itself and puts
   functions of its own into the table. */
#ifndef ENTRY_H
#define ENTRY_H

#include <dlfcn.h>
#include <stddef.h>
#include <stdlib.h>

#include "../interpose/hook.h"

#define ENTRY "rankwise_abi_open"
#define BACKEND_VARIABLE "RANKWISE_ABI_BACKEND"

/* Set if the program is linked to the very MPI that carries out its calls: the backend has to find
   that one's symbols where the program does, since some of them may be the program's copies. */
#define SHARED_VARIABLE "RANKWISE_ABI_SHARED"

/* A layer whose handles are all below 2^32 and differ from any integer that its _toint functions
   return says so by an int of this name that is not 0; backends whose handles are integers do. */
#define INTEGERS "rankwise_abi_integers"

/* A backend lets the gateway go on while its library waits for something else: a function of this
 * name, which returns whether from now on the library calls that turn whenever it makes progress
 * (../interpose/hook.h). NULL: whether it could, by one thread. */
#define HOOK "rankwise_abi_hook"
typedef bool Hook(Turn *turn);

/* Fills the `bytes` bytes of a table whose functions are those of `version`. Returns NULL, or what
   is wrong. */
typedef const char *Entry(void *table, size_t bytes, const char *version);

/* A library's function of this name; NULL: there is none. POSIX has this conversion, C has not. */
typedef void AnyEntry(void);
static inline AnyEntry *entry_of(void *library, const char *name)
{
    AnyEntry *found;
    *(void **)&found = dlsym(library, name);
    return found;
}

/* With these flags the next library is to be loaded. */
static inline int entry_flags(void)
{
    return RTLD_NOW | RTLD_LOCAL | (getenv(SHARED_VARIABLE) ? 0 : RTLD_DEEPBIND);
}

#endif
