#include "arguments.h"
#include "communicators.h"
#include "recording.h"
#include "request_calls.h"
#include <string.h>

enum { MESSAGES = 64 };

#if MPI_VERSION >= 3
static struct {
    MPI_Message message;
    Match match;
} probed[MESSAGES];
static int probed_next;
static __thread int matched;
#endif

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
