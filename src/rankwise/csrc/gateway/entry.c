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
#include "own_attributes.h"
#include "turns.h"

#define PUBLIC __attribute__((visibility("default")))
#define NEXT_VARIABLE "RANKWISE_JOIN_BACKEND"
#define PROGRESS_VARIABLE "RANKWISE_JOIN_PROGRESS" /* set: by a thread */

AbiTable below;
AbiTable seen; /* what the program calls: PMPI_ names of ours lead here */
static AbiTable *of_program;
static int level; /* of threads, as the program was told */

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
        return "RANKWISE_JOIN_BACKEND does not name a backend of Rankwise's";
    const char *const wrong = open(&below, sizeof below, version);
    if (wrong)
        return wrong;
    seen = below;
    lay_over(&seen);
    memcpy(table, &seen, bytes);
    of_program = table;
    return NULL;
}

/* Several threads at once need a library that lets them; so does one of ours for progress. */
static void begin_threads(int has, bool by_thread)
{
    if (by_thread && has < MPI_THREAD_MULTIPLE)
        stop("site %s: its MPI does not let several threads call it, which a thread for progress "
             "needs",
             world.names[world.site]);
    if (has == MPI_THREAD_MULTIPLE)
        allow_threads(of_program);
    if (by_thread)
        start_progress();
}

int call_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    const bool by_thread = getenv(PROGRESS_VARIABLE) && getenv("RANKWISE_JOIN");
    const int asked = by_thread ? MPI_THREAD_MULTIPLE : required;
    int code = below.Init_thread(argc, argv, asked, provided);
    const int has = asked == MPI_THREAD_MULTIPLE ? *provided : MPI_THREAD_SINGLE;
    if (by_thread && *provided > required)
        *provided = required;
    if (asked<MPI_THREAD_MULTIPLE && * provided> MPI_THREAD_SERIALIZED)
        *provided = MPI_THREAD_SERIALIZED; /* they do not take turns then */
    level = *provided;
    if (code != MPI_SUCCESS || !meet())
        return code;
    world.started = true;
    look_for_reductions();
    code = join_world();
    if (code == MPI_SUCCESS)
        begin_threads(has, by_thread);
    return code;
}

int call_Query_thread(int *provided)
{
    const int code = below.Query_thread(provided);
    *provided = level;
    return code;
}

int call_Init(int *argc, char ***argv)
{
    int provided;
    return call_Init_thread(argc, argv, MPI_THREAD_SINGLE, &provided);
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
        delete_own_attributes();
        stop_progress();
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
