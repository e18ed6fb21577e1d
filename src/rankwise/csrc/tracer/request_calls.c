#include "request_calls.h"
#include "arguments.h"
#include "recorder.h"
#include "recording.h"
#include "requests.h"
#include <stdlib.h>
#include <string.h>

enum {
    ROW_REQUESTS = (LONGEST_SIGNATURE - 2) / 4,
    FORTRAN_STATUS = 64 /* integers, at most */
};

/* What this thread waits for. */
static __thread struct {
    int *slots;
    bool *taken;
    int64_t room;
    int taken_room;
    void *statuses;
    size_t status_bytes;
} waiting __attribute__((tls_model("initial-exec")));

void *own_statuses(int64_t count, bool fortran)
{
    const size_t one = fortran ? FORTRAN_STATUS * sizeof(int) : sizeof(MPI_Status);
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

int new_slot(const Traced *call, int communicator, int peer, int tag, int64_t bytes, bool receives)
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
    lock();
    row[0] = call->function;
    for (int64_t i = 0; i < call->completed && waiting.room >= call->requests; i++) {
        const int64_t index = call->indices ? call->indices[i] - call->first_index : i;
        if (length + 4 > ROW_REQUESTS * 4 + 2) { /* the call goes on in the next row */
            row[1] = -(length - 2) / 4;
            write_row(row, length, call->entry, call->entry);
            length = 2;
        }
        length += complete(call, index, i, row + length);
    }
    row[1] = (length - 2) / 4;
    write_row(row, code == MPI_SUCCESS ? length : 1, call->entry, call->exit);
    unlock();
    inside_tracer = 0;
}

void note_start(const Traced *call, int code)
{
    static __thread int64_t row[LONGEST_SIGNATURE] __attribute__((tls_model("initial-exec")));
    int length = 1;
    lock();
    row[0] = call->function;
    for (int64_t i = 0; i < call->requests && code == MPI_SUCCESS; i++) {
        const int slot = waiting.slots[i];
        if (slot < 0)
            continue;
        if (length + 7 > LONGEST_SIGNATURE) { /* the call goes on in the next row */
            row[length++] = 0;
            write_row(row, length, call->entry, call->entry);
            length = 1;
        }
        Request *request = request_in(slot);
        request->active = true;
        row[length++] = request->communicator, row[length++] = request->peer;
        row[length++] = request->tag, row[length++] = request->bytes;
        row[length++] = slot, row[length++] = request->receives;
    }
    write_row(row, length, call->entry, call->exit);
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
