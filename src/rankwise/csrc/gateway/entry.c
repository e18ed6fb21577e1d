/* How the layer is opened, and how a job begins and ends. */
#define _GNU_SOURCE
#include "entry.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "calls.h"
#include "communicators.h"
#include "join.h"
#include "messages.h"
#include "operations.h"

#define PUBLIC __attribute__((visibility("default")))
#define NEXT_VARIABLE "RANKWISE_JOIN_BACKEND"

AbiTable below;
AbiTable seen; /* what the program calls: PMPI_ names of ours lead here */

PUBLIC const char *rankwise_abi_open(void *table, size_t bytes, const char *version);

const char *rankwise_abi_open(void *table, size_t bytes, const char *version)
{
    const char *const path = getenv(NEXT_VARIABLE);
    if (bytes != sizeof below || strcmp(version, TABLE_VERSION) != 0)
        return "the gateway is of another version than libmpi_abi.so.1";
    if (!path)
        return "no MPI was chosen: start the program with `rankwise run --join`";
    void *const library = dlopen(path, entry_flags());
    if (!library)
        return dlerror();
    Entry *const open = (Entry *)dlsym(library, ENTRY);
    if (!open)
        return "what it should lead to is no backend of Rankwise's";
    const char *const wrong = open(&below, sizeof below, version);
    if (wrong)
        return wrong;
    seen = below;
    lay_over(&seen);
    memcpy(table, &seen, bytes);
    return NULL;
}

/* Threads have to take turns: nothing here is locked. */
int call_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    const int most = MPI_THREAD_SERIALIZED;
    const int code = below.Init_thread(argc, argv, required < most ? required : most, provided);
    if (*provided > most)
        *provided = most;
    if (code != MPI_SUCCESS || !meet())
        return code;
    world.started = true;
    look_for_reductions();
    return join_world();
}

int call_Init(int *argc, char ***argv)
{
    int provided;
    return call_Init_thread(argc, argv, MPI_THREAD_SINGLE, &provided);
}

int call_Query_thread(int *provided)
{
    const int code = below.Query_thread(provided);
    if (*provided > MPI_THREAD_SERIALIZED)
        *provided = MPI_THREAD_SERIALIZED;
    return code;
}

/* A session would see the processes of one site alone. */
int call_Session_init(MPI_Info info, MPI_Errhandler errhandler, MPI_Session *session)
{
    (void)info, (void)errhandler, (void)session;
    return refuse_call(MPI_COMM_SELF, NUMBER_Session_init);
}

int call_Finalize(void)
{
    if (world.started) {
        while (sends_under_way)
            progress();
        close_wire();
        world.started = false;
    }
    return below.Finalize();
}

/* The other sites are told, as far as that goes at once. */
int call_Abort(MPI_Comm comm, int errorcode)
{
    if (world.started && joined_of(comm))
        for (int r = 0; r < world.all_ranks; r++)
            if (peers[r].socket >= 0)
                send_short(&peers[r], (Header){.kind = ABORTS, .tag = errorcode});
    return below.Abort(comm, errorcode);
}
