#define _GNU_SOURCE
#include "tracer.h"
#include "../interpose/in_place.h"
#include "communicators.h"
#include "recorder.h"
#include "requests.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PUBLIC __attribute__((visibility("default")))
enum { ROW_REQUESTS = (LONGEST_SIGNATURE - 2) / 4, MESSAGES = 64, MOST_REGIONS = 1024 };

int recording;
__thread int inside_tracer;

typedef enum { NEW, READY, PAUSED, OVER } Stage;
static Stage stage;
static bool several_threads;
static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;
static State *state;

/* What this thread waits for. */
static __thread struct {
    int *slots;
    bool *taken;
    int64_t room;
    int taken_room, communicator;
    void *statuses;
    size_t status_bytes;
} waiting __attribute__((tls_model("initial-exec")));

typedef struct {
    MPI_Comm comm;
    int64_t source, tag, bytes;
} Match;
#if MPI_VERSION >= 3
static struct {
    MPI_Message message;
    Match match;
} probed[MESSAGES];
static int probed_next;
static __thread int matched;
#endif

static void lock(void)
{
    if (several_threads)
        pthread_mutex_lock(&one_at_a_time);
}

static void unlock(void)
{
    if (several_threads)
        pthread_mutex_unlock(&one_at_a_time);
}

static void stop(void)
{
    __atomic_store_n(&stage, OVER, __ATOMIC_RELEASE);
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
    const bool well = stage != OVER && end_recorder();
    compare_clocks_at_end();
    if (well)
        end_session(moment);
    stage = OVER;
    inside_tracer = before;
    return MPI_SUCCESS;
}

static void begin(bool together)
{
    int key = MPI_KEYVAL_INVALID, provided = MPI_THREAD_SINGLE;
    Mode mode;
    PMPI_Query_thread(&provided);
    several_threads = provided == MPI_THREAD_MULTIPLE;
    state = begin_session(together, &mode);
    const bool well = state && prepare_recorder(state, mode) && prepare_communicators(state);
    if (well) {
        known(MPI_COMM_WORLD);
        known(MPI_COMM_SELF);
    }
    if (PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, end, &key, NULL) == MPI_SUCCESS)
        PMPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
    __atomic_store_n(&stage, well ? READY : OVER, __ATOMIC_RELEASE);
    recording = well;
}

static void begin_once(bool together)
{
    static pthread_mutex_t beginning = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&beginning);
    if (stage == NEW) {
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
    if (__atomic_load_n(&stage, __ATOMIC_ACQUIRE) != NEW)
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

static void write_row(const int64_t *row, int length, int64_t entry, int64_t exit)
{
    if (recording && !record(row, length, entry, exit))
        stop();
}

/* Every `note_` function ends with this. */
static void done(const Traced *call, int code, const int64_t *row, int length)
{
    write_row(row, code == MPI_SUCCESS ? length : 1, call->entry, call->exit);
    unlock();
    inside_tracer = 0;
}

static int64_t bytes_of(int64_t count, MPI_Datatype type)
{
    int size = 0;
    if (count <= 0 || type == MPI_DATATYPE_NULL)
        return 0;
    PMPI_Type_size(type, &size);
    return count * size;
}

static int64_t our_rank(int rank)
{
    return rank == MPI_PROC_NULL ? NOBODY : rank == MPI_ANY_SOURCE ? ANY : rank;
}

static int64_t our_tag(int tag)
{
    return tag == MPI_ANY_TAG ? ANY : tag;
}

static Match matched_by(const Array *status, int64_t index)
{
    MPI_Status c, *own = &c;
    int bytes = 0;
    if (status->fortran) {
        PMPI_Status_f2c((MPI_Fint *)status->array + (size_t)index * MPI_F_STATUS_SIZE, own);
    } else {
        own = (MPI_Status *)status->array + index;
    }
    const Match none = {MPI_COMM_NULL, our_rank(own->MPI_SOURCE), ANY, 0};
    if (none.source < 0) /* nothing was received */
        return none;
    PMPI_Get_count(own, MPI_BYTE, &bytes);
    return (Match){MPI_COMM_NULL, none.source, our_tag(own->MPI_TAG),
                   bytes == MPI_UNDEFINED ? 0 : bytes};
}

void *own_statuses(int64_t count, bool fortran)
{
    const size_t one = fortran ? 64 * sizeof(MPI_Fint) : sizeof(MPI_Status);
    const size_t bytes = (size_t)count * one;
    if (bytes > waiting.status_bytes) {
        void *more = realloc(waiting.statuses, 2 * bytes);
        if (!more)
            return NULL;
        waiting.statuses = more;
        waiting.status_bytes = 2 * bytes;
    }
    return waiting.statuses;
}

static MPI_Request request_at(const Array *array, int64_t index)
{
    return array->fortran ? PMPI_Request_f2c(((const MPI_Fint *)array->array)[index])
                          : ((const MPI_Request *)array->array)[index];
}

/* The slot of the request that this call has made. */
static int new_slot(const Traced *call, int communicator, int peer, int tag, int64_t bytes,
                    bool receives)
{
    const Request request = {.handle = request_at(&call->request, 0),
                             .function = call->function,
                             .communicator = communicator,
                             .peer = peer,
                             .tag = tag,
                             .bytes = bytes,
                             .persistent = call->persistent,
                             .active = !call->persistent,
                             .receives = receives};
    return request.handle == MPI_REQUEST_NULL ? -1 : add_request(&request);
}

static void note_message(const Traced *call, int code, int peer, bool receives)
{
    lock();
    const int communicator = known(call->comm)->number;
    const int64_t bytes = bytes_of(call->send_count, call->send_type);
    int64_t row[9] = {call->function, communicator, our_rank(peer), our_tag(call->tag), bytes};
    int length = 5;
    if (code != MPI_SUCCESS) {
        length = 1;
    } else if (call->request.array) {
        const int slot = new_slot(call, communicator, (int)row[2], (int)row[3], bytes, receives);
        row[length++] = slot;
        if (call->persistent)
            length = 1; /* what is sent is told by MPI_Start */
    } else if (receives) {
        const Match found = matched_by(&call->status, 0);
        row[5] = found.source, row[6] = found.tag, row[7] = found.bytes;
        length = 8;
    }
    done(call, code, row, length);
}

void note_send(const Traced *call, int code)
{
    note_message(call, code, call->peer, false);
}

void note_receive(const Traced *call, int code)
{
#if MPI_VERSION >= 3
    if (call->message) { /* the message was taken by a probe, and the handle is gone */
        Traced known_call = *call;
        const Match *match = &probed[matched].match;
        known_call.comm = match->comm;
        known_call.source = (int)match->source;
        known_call.tag = (int)match->tag;
        known_call.message = NULL;
        note_message(&known_call, code, known_call.source, true);
        return;
    }
#endif
    note_message(call, code, call->source, true);
}

void note_both(const Traced *call, int code)
{
    lock();
    const Match found = code == MPI_SUCCESS ? matched_by(&call->status, 0) : (Match){0};
    const int64_t row[] = {call->function,
                           known(call->comm)->number,
                           our_rank(call->peer),
                           our_tag(call->tag),
                           bytes_of(call->send_count, call->send_type),
                           our_rank(call->source),
                           our_tag(call->recv_tag),
                           bytes_of(call->recv_count, call->recv_type),
                           found.source,
                           found.tag,
                           found.bytes};
    done(call, code, row, 11);
}

void note_probe(const Traced *call, int code)
{
    lock();
    const Match found = code == MPI_SUCCESS ? matched_by(&call->status, 0) : (Match){0};
    const int64_t row[] = {call->function,
                           known(call->comm)->number,
                           our_rank(call->source),
                           our_tag(call->tag),
                           found.source,
                           found.tag,
                           found.bytes};
#if MPI_VERSION >= 3
    if (call->message && code == MPI_SUCCESS) {
        memcpy(&probed[probed_next].message, call->message, sizeof(MPI_Message));
        probed[probed_next].match = found;
        probed[probed_next].match.comm = call->comm;
        probed_next = (probed_next + 1) % MESSAGES;
    }
#endif
    done(call, code, row, 7);
}

void remember_message(const Traced *call)
{
#if MPI_VERSION >= 3
    lock();
    matched = 0;
    for (int i = 1; i <= MESSAGES; i++) { /* the newest first: handles are used again */
        const int one = (probed_next - i + MESSAGES) % MESSAGES;
        if (memcmp(&probed[one].message, call->message, sizeof(MPI_Message)) == 0) {
            matched = one;
            break;
        }
    }
    unlock();
#else
    (void)call;
#endif
}

static bool grow(int64_t count)
{
    if (count > waiting.room) {
        int *more = realloc(waiting.slots, 2 * (size_t)count * sizeof *more);
        if (!more)
            return false;
        waiting.slots = more;
        waiting.room = 2 * count;
    }
    if (request_room() > waiting.taken_room) {
        bool *more = realloc(waiting.taken, (size_t)request_room());
        if (!more)
            return false;
        memset(more + waiting.taken_room, 0, (size_t)(request_room() - waiting.taken_room));
        waiting.taken = more;
        waiting.taken_room = request_room();
    }
    return true;
}

void remember_requests(const Traced *call)
{
    lock();
    const bool room = grow(call->requests);
    for (int64_t i = 0; i < call->requests && room; i++) {
        const MPI_Request handle = request_at(&call->request, i);
        const int slot = handle == MPI_REQUEST_NULL ? -1 : find_request(handle, waiting.taken);
        waiting.slots[i] = slot;
        if (slot >= 0)
            waiting.taken[slot] = true;
    }
    for (int64_t i = 0; i < call->requests && room; i++)
        if (waiting.slots[i] >= 0)
            waiting.taken[waiting.slots[i]] = false;
    unlock();
}

/* A request is over; the numbers that tell so, or none: it was not under way. */
static int complete(const Traced *call, int64_t index, int64_t status_index, int64_t *row)
{
    const int slot = waiting.slots[index];
    if (slot < 0)
        return 0;
    Request *request = request_in(slot);
    if (!request->used || !request->active)
        return 0;
    Match found = {MPI_COMM_NULL, NOTHING, NOTHING, 0};
    if (request->receives && call->status.array)
        found = matched_by(&call->status, status_index);
    row[0] = slot, row[1] = found.source, row[2] = found.tag, row[3] = found.bytes;
    if (request->persistent)
        request->active = false;
    else
        remove_request(slot);
    return 4;
}

void note_completion(const Traced *call, int code)
{
    static __thread int64_t row[LONGEST_SIGNATURE] __attribute__((tls_model("initial-exec")));
    int length = 2;
    int64_t entry = call->entry;
    lock();
    row[0] = call->function;
    for (int64_t i = 0; i < call->completed && waiting.room >= call->requests; i++) {
        const int64_t index = call->indices ? call->indices[i] - call->first_index : i;
        if (length + 4 > ROW_REQUESTS * 4 + 2) { /* too many for one row */
            row[1] = (length - 2) / 4;
            write_row(row, length, entry, call->exit);
            entry = call->exit;
            length = 2;
        }
        length += complete(call, index, i, row + length);
    }
    row[1] = (length - 2) / 4;
    write_row(row, code == MPI_SUCCESS ? length : 1, entry, call->exit);
    unlock();
    inside_tracer = 0;
}

void note_start(const Traced *call, int code)
{
    int64_t entry = call->entry;
    lock();
    for (int64_t i = 0; i < call->requests; i++) {
        const int slot = waiting.slots[i];
        int64_t row[7] = {call->function};
        if (slot >= 0 && code == MPI_SUCCESS) {
            Request *request = request_in(slot);
            request->active = true;
            row[1] = request->communicator, row[2] = request->peer, row[3] = request->tag;
            row[4] = request->bytes, row[5] = slot, row[6] = request->receives;
        }
        write_row(row, slot >= 0 && code == MPI_SUCCESS ? 7 : 1, entry, call->exit);
        entry = call->exit;
    }
    unlock();
    inside_tracer = 0;
}

void note_request_free(const Traced *call, int code)
{
    const int64_t row[] = {call->function};
    lock();
    if (code == MPI_SUCCESS && waiting.slots[0] >= 0)
        remove_request(waiting.slots[0]);
    done(call, code, row, 1);
}

/* Of one block, or of all blocks where these may differ. */
static int64_t bytes_in(Numbers counts, int64_t count, MPI_Datatype type, const MPI_Datatype *types,
                        int size)
{
    int64_t bytes = 0, sum = 0;
    if (!counts.array)
        return bytes_of(count, type);
    for (int i = 0; i < size; i++) {
        const int64_t one =
            counts.wide ? ((const int64_t *)counts.array)[i] : ((const int *)counts.array)[i];
        sum += one;
        if (types)
            bytes += bytes_of(one, types[i]);
    }
    return types ? bytes : bytes_of(sum, type);
}

/* Counts and types are looked at only where MPI gives them a meaning: others may be anything. */
void note_collective(const Traced *call, int code)
{
    lock();
    const Known *comm = known(call->comm);
    int64_t root = NOTHING, sent = 0, received = 0;
    bool at_root = true, elsewhere = true;
    if (call->rooted) {
        root = call->root == MPI_PROC_NULL ? NOBODY : call->root;
        at_root = comm->inter ? call->root == MPI_ROOT : call->root == comm->rank;
        elsewhere = comm->inter ? call->root >= 0 : true;
        if (comm->inter && at_root)
            root = NOTHING;
    }
    const bool in_place = call->send == MPI_IN_PLACE, out_of_place = call->recv == MPI_IN_PLACE;
    const bool sends = call->scatters ? at_root : elsewhere;
    const bool receives = call->scatters ? elsewhere && !(call->rooted && at_root) : at_root;
    if (code == MPI_SUCCESS && sends && !in_place)
        sent = bytes_in(call->send_counts, call->send_count, call->send_type, call->send_types,
                        comm->size);
    if (code == MPI_SUCCESS && receives && !out_of_place)
        received = bytes_in(call->recv_counts, call->recv_count, call->recv_type, call->recv_types,
                            comm->size);
    int64_t row[6] = {call->function, comm->number, root, sent, received};
    int length = 5;
    if (call->request.array && code == MPI_SUCCESS)
        row[length++] = new_slot(call, comm->number, NOTHING, NOTHING, sent, false);
    done(call, code, row, length);
}

void note_other(const Traced *call, int code)
{
    const int64_t row[] = {call->function};
    lock();
    done(call, code, row, 1);
}

void note_idle(const Traced *call, int code)
{
    (void)code;
    lock();
    Idle *idle = &state->idle[call->function % MOST_FUNCTIONS];
    if (recording) {
        idle->calls++;
        idle->nanoseconds += (uint64_t)(call->exit - call->entry);
    }
    unlock();
    inside_tracer = 0;
}

void note_created(const Traced *call, int code)
{
    lock();
    const int64_t row[] = {call->function,
                           code == MPI_SUCCESS ? known(call->comm)->number : NOTHING};
    done(call, code, row, 2);
}

void remember_communicator(MPI_Comm comm)
{
    lock();
    waiting.communicator = known(comm)->number;
    unlock();
}

void note_freed(const Traced *call, int code)
{
    lock();
    const int64_t row[] = {call->function, waiting.communicator};
    if (code == MPI_SUCCESS)
        forget(call->comm);
    done(call, code, row, 2);
}

/* Regions: their names are kept, and numbers are names as well. */
static void region(const char *name, bool begins)
{
    static char *names[MOST_REGIONS];
    static int count;
    if (inside_tracer || (!recording && !may_begin()))
        return;
    inside_tracer = 1;
    lock();
    int id = 0;
    while (id < count && strcmp(names[id], name) != 0)
        id++;
    if (id == count && count < MOST_REGIONS && (names[id] = strndup(name, 255))) {
        const size_t bytes = strlen(names[id]);
        if (state->definition_bytes + bytes + 2 * NUMBER_BYTES > DEFINITION_ROOM / 2 &&
            !flush_definitions())
            stop();
        unsigned char *at = state->definitions + state->definition_bytes;
        *at++ = 'G';
        at = put_number(at, (uint64_t)id);
        at = put_number(at, bytes);
        memcpy(at, names[id], bytes);
        if (recording)
            state->definition_bytes = (uint32_t)(at + bytes - state->definitions);
        count++;
    }
    const int64_t now = now_nanoseconds(), row[] = {0, id, begins};
    if (id < count)
        write_row(row, 3, now, now);
    unlock();
    inside_tracer = 0;
}

PUBLIC void rankwise_trace_begin(const char *name);
PUBLIC void rankwise_trace_end(const char *name);

void rankwise_trace_begin(const char *name)
{
    region(name, true);
}

void rankwise_trace_end(const char *name)
{
    region(name, false);
}

/* The level of MPI_Pcontrol: 0 pauses, 1 goes on, others are regions. */
void note_control(int level)
{
    char name[16];
    if (level == 0 && stage == READY) {
        stage = PAUSED;
        recording = 0;
    } else if (level == 1 && stage == PAUSED) {
        state->last_exit = now_nanoseconds();
        stage = READY;
        recording = 1;
    } else if (level > 1 || level < -1) {
        snprintf(name, sizeof name, "%d", abs(level));
        region(name, level > 0);
    }
}
