/* Loads the library that carries out the calls. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "entry.h"
#include "front_end.h"

int abi_integers;

enum { CANNOT_LOAD = 127 }; /* a shell's exit code for a program that cannot be started */

static void give_up(const char *what, const char *why)
{
    fprintf(stderr, "libmpi_abi: %s: %s\n", what, why);
    _exit(CANNOT_LOAD);
}

/* A program that names `environ` has a copy of it, to which libc's own leads nobody: a library that
   is bound to libc first would see none. */
static void share_environment(void)
{
    void *libc = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
    char ***const own = libc ? dlsym(libc, "environ") : NULL;
    char ***const of_program = dlsym(RTLD_DEFAULT, "environ");
    if (own && of_program && !*own)
        *own = *of_program;
}

/* Symbols are looked for in the backend and its MPI first, unless that is the program's own: else
   that MPI's own calls of MPI_ and PMPI_ functions would come back to the front end. */
static void load(void)
{
    const char *const path = getenv(BACKEND_VARIABLE);
    if (!path)
        give_up("no MPI was chosen", "start the program with `rankwise run --mpi NAME`");
    share_environment();
    void *const library = dlopen(path, entry_flags());
    if (!library)
        give_up("its MPI cannot be loaded", dlerror());
    Entry *const open = (Entry *)entry_of(library, ENTRY);
    if (!open)
        give_up(path, "this library is not a backend of Rankwise's");
    const int *const integers = dlsym(library, INTEGERS);
    abi_integers = integers && *integers;
    const char *const wrong = open(&abi_table, sizeof abi_table, TABLE_VERSION);
    if (wrong)
        give_up(path, wrong);
}

void load_backend(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
}
