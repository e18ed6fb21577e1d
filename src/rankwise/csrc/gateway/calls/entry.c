/* How the layer is opened: what the program calls is laid over the backend's table. */
#define _GNU_SOURCE
#include "entry.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "beginning.h"
#include "functions.h"
#include "waiting.h"

#define PUBLIC __attribute__((visibility("default")))
#define NEXT_VARIABLE "RANKWISE_JOIN_BACKEND"

PUBLIC const char *rankwise_abi_open(void *table, size_t bytes, const char *version);

const char *rankwise_abi_open(void *table, size_t bytes, const char *version)
{
    const char *const path = getenv(NEXT_VARIABLE);
    if (bytes != sizeof below || strcmp(version, TABLE_VERSION) != 0)
        return "the gateway is of another version than libmpi_abi.so.1";
    if (!path)
        return "no MPI was chosen: start the program with `rankwise run --join`";
    void *const backend = dlopen(path, entry_flags());
    if (!backend)
        return dlerror();
    Entry *const open = (Entry *)entry_of(backend, ENTRY);
    if (!open)
        return "RANKWISE_JOIN_BACKEND does not name a backend of Rankwise's";
    const char *const wrong = open(&below, sizeof below, version);
    if (wrong)
        return wrong;
    library = below;
    library_hook = (Hook *)entry_of(backend, HOOK);
    wrap_waits(&below);
    seen = below;
    lay_over(&seen);
    memcpy(table, &seen, bytes);
    calls_in_turns = seen;
    lay_over_in_turns(&calls_in_turns);
    program_calls = table;
    return NULL;
}
