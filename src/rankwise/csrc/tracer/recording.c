#include "recording.h"
#include "communicators.h"
#include "recorder.h"
#include <pthread.h>

int recording;
__thread int inside_tracer;

typedef enum { NEW, READY, PAUSED, OVER } Stage;
static struct {
    Stage stage;
    bool several_threads;
    pthread_mutex_t one_at_a_time;
    State *state;
} g = {.one_at_a_time = PTHREAD_MUTEX_INITIALIZER};

void lock(void)
{
    if (g.several_threads)
        pthread_mutex_lock(&g.one_at_a_time);
}

void unlock(void)
{
    if (g.several_threads)
        pthread_mutex_unlock(&g.one_at_a_time);
}

void stop(void)
{
    __atomic_store_n(&g.stage, OVER, __ATOMIC_RELEASE);
    recording = 0;
}

/* Of an attribute of MPI_COMM_SELF, which goes first of all in MPI_Finalize, whatever language
 * calls it. */
static int end(MPI_Comm comm, int keyval, void *value, void *extra)
{
    (void)comm, (void)keyval, (void)value, (void)extra;
    const int64_t moment = now_nanoseconds();
    const int before = inside_tracer;
    inside_tracer = 1;
    recording = 0;
    const bool well = g.stage != OVER && end_recorder();
    compare_clocks_at_end();
    if (well)
        end_session(moment);
    g.stage = OVER;
    inside_tracer = before;
    return MPI_SUCCESS;
}

static void begin(bool together)
{
    int key = MPI_KEYVAL_INVALID, provided = MPI_THREAD_SINGLE;
    Mode mode;
    PMPI_Query_thread(&provided);
    g.several_threads = provided == MPI_THREAD_MULTIPLE;
    g.state = begin_session(together, &mode);
    const bool well = g.state && prepare_recorder(g.state, mode) && prepare_communicators(g.state);
    if (well) {
        known(MPI_COMM_WORLD);
        known(MPI_COMM_SELF);
    }
    if (PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, end, &key, NULL) == MPI_SUCCESS)
        PMPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
    __atomic_store_n(&g.stage, well ? READY : OVER, __ATOMIC_RELEASE);
    recording = well;
}

static void begin_once(bool together)
{
    static pthread_mutex_t beginning = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&beginning);
    if (g.stage == NEW) {
        const int before = inside_tracer;
        inside_tracer = 1;
        begin(together);
        inside_tracer = before;
    }
    pthread_mutex_unlock(&beginning);
}

/* Where MPI_Init was not seen: some libraries' Fortran calls do not come through here. */
bool may_begin(void)
{
    int started = 0, ended = 0;
    if (__atomic_load_n(&g.stage, __ATOMIC_ACQUIRE) != NEW)
        return false;
    PMPI_Initialized(&started);
    PMPI_Finalized(&ended);
    if (started && !ended)
        begin_once(false);
    return recording;
}

void tracer_started(void)
{
    begin_once(true);
}

void pause_recording(void)
{
    if (g.stage == READY) {
        g.stage = PAUSED;
        recording = 0;
    }
}

/* The pause is before the next call, so that moments stay those of the other ranks. */
void go_on_recording(void)
{
    if (g.stage == PAUSED) {
        g.stage = READY;
        recording = 1;
    }
}

State *recorded_state(void)
{
    return g.state;
}

void write_row(const int64_t *row, int length, int64_t entry, int64_t exit)
{
    if (recording && !record(row, length, entry, exit))
        stop();
}

void done(const Traced *call, int code, const int64_t *row, int length)
{
    write_row(row, code == MPI_SUCCESS ? length : 1, call->entry, call->exit);
    unlock();
    inside_tracer = 0;
}
