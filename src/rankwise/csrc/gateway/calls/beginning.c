/* How a job begins and ends. */
#include "beginning.h"
#include "arrivals.h"
#include "batch.h"
#include "calls.h"
#include "communicators.h"
#include "messages.h"
#include "nearby.h"
#include "operations.h"
#include "own_attributes.h"
#include "progress.h"
#include "turns.h"
#include "wire.h"
#include <stdlib.h>

#define PROGRESS_VARIABLE "RANKWISE_JOIN_PROGRESS" /* set: by a thread */

AbiTable *program_calls, calls_in_turns;
static int level; /* of threads, as the program was told */

void connect_layers(void)
{
    message_handlers = &of_messages;
    when_joined = check_early;
    add_poller(progress_wire);
    add_poller(progress_local);
    add_poller(progress_batches);
    add_idle_look(nudge_library);
}

/* Several threads at once need a library that lets them; so does one of ours for progress. */
static void begin_threads(int has, bool by_thread)
{
    if (by_thread && has < MPI_THREAD_MULTIPLE)
        stop("site %s: its MPI does not let several threads call it, which a thread for progress "
             "needs",
             world.names[world.site]);
    if (has == MPI_THREAD_MULTIPLE) {
        many_threads = true;
        *program_calls = calls_in_turns;
    }
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
    if (asked != MPI_THREAD_MULTIPLE && *provided > MPI_THREAD_SERIALIZED)
        *provided = MPI_THREAD_SERIALIZED; /* they do not take turns then */
    level = *provided;
    Met *const met = code == MPI_SUCCESS ? meet() : NULL;
    if (!met)
        return code;
    connect_layers();
    begin_wire(met);
    free(met);
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
    (void)info, (void)session;
    return refuse_to_begin(errhandler, NUMBER_Session_init);
}

int call_Finalize(void)
{
    if (world.started) {
        delete_own_attributes();
        stop_progress();
        while (sends_under_way)
            progress();
        end_wire();
        while (!wire_has_ended())
            progress(); /* in this site, too: another rank may wait for what is yet to be sent */
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
