#include "batch.h"
#include "messages.h"
#include "packing.h"
#include "progress.h"
#include "requests.h"
#include "statuses.h"
#include "types.h"
#include <stdlib.h>

struct Batch {
    Joined *joined; /* whose messages they are */
    int count, ended, code;
    MPI_Request *requests; /* those before `ended` have ended */
    char **copies;         /* shape (copied) */
    int copied;
    CallTags *tags; /* NULL: it is no collective call */
    Stage *stage;   /* NULL: none follows */
    void *work;
    Request *request;
    Batch *next;
};
static Batch *batches;

const RequestKind exchanges = {.has_status = true, .told = true}, operations = {0};

static void free_batch(Batch *b)
{
    for (int i = 0; i < b->copied; i++)
        free(b->copies[i]);
    free(b->copies);
    free(b->requests);
    if (b->tags)
        leave_tags(b->tags);
    free(b);
}

Batch *new_batch(Joined *joined, int most)
{
    Batch *b = calloc(1, sizeof *b);
    if (!b)
        return NULL;
    b->joined = joined;
    b->requests = malloc((size_t)most * sizeof *b->requests + 1);
    b->copies = malloc((size_t)most * sizeof *b->copies + 1);
    if (b->requests && b->copies)
        return b;
    free_batch(b);
    return NULL;
}

Batch *new_call(const Joined *joined, int most, CallTags *tags)
{
    Batch *b = new_batch(joined_of(joined->own), most);
    if (tags)
        hold_tags(tags);
    else
        tags = take_tags(&joined_of(joined->own)->tags_in_use);
    if (b && tags) {
        b->tags = tags;
        return b;
    }
    if (b)
        free_batch(b);
    if (tags)
        leave_tags(tags);
    return NULL;
}

CallTags *tags_of(const Batch *b)
{
    return b->tags;
}

void batch_receive(Batch *b, void *buffer, MPI_Count count, MPI_Datatype type, int source, int tag)
{
    if (b->code == MPI_SUCCESS)
        b->code =
            begin_receive(b->joined, buffer, count, type, source, tag, &b->requests[b->count]);
    b->count += b->code == MPI_SUCCESS;
}

void batch_send(Batch *b, const void *buffer, MPI_Count count, MPI_Datatype type, int dest, int tag)
{
    if (b->code == MPI_SUCCESS)
        b->code =
            begin_send(b->joined, buffer, count, type, dest, tag, STANDARD, &b->requests[b->count]);
    b->count += b->code == MPI_SUCCESS;
}

void batch_send_copy(Batch *b, const void *buffer, MPI_Count count, MPI_Datatype type, int dest,
                     int tag)
{
    const TypeFacts facts = facts_of(type);
    const Joined *j = b->joined;
    if (b->code == MPI_SUCCESS && (count < 0 || facts.bytes < 0))
        b->code = fail(j, count < 0 ? MPI_ERR_COUNT : MPI_ERR_TYPE);
    if (b->code != MPI_SUCCESS)
        return;
    const MPI_Count bytes = count * facts.bytes;
    char **copy = &b->copies[b->copied];
    b->code = fail(j, pack(buffer, count, type, (uint64_t)bytes, goes_external(j, dest), copy));
    if (b->code != MPI_SUCCESS)
        return;
    b->copied++;
    batch_send(b, *copy, bytes, MPI_PACKED, dest, tag);
}

void batch_add(Batch *b, MPI_Request request, int code)
{
    if (code == MPI_SUCCESS)
        b->requests[b->count++] = request;
    batch_fails(b, code);
}

void then(Batch *b, Stage *next, void *work)
{
    b->stage = next;
    b->work = work;
}

int batch_code(const Batch *b)
{
    return b->code;
}

void batch_fails(Batch *b, int code)
{
    if (b->code == MPI_SUCCESS)
        b->code = code;
}

/* Another call still has its tags. */
static bool has_to_wait(const Batch *b)
{
    return b->code == MPI_SUCCESS && b->tags && b->tags->waits;
}

void begin_stages(Batch *b, Stage *first, void *work)
{
    b->stage = first;
    b->work = work;
    if (!has_to_wait(b) && !first(b, work))
        b->stage = NULL;
}

/* All have ended: whether there are more now, or will be. */
static bool goes_on(Batch *b)
{
    b->count = b->ended = 0;
    if (has_to_wait(b))
        return true;
    return b->stage && b->stage(b, b->work);
}

/* One could not be begun: those that have been are taken back, as far as that goes. */
static int withdraw(Batch *b)
{
    const int code = b->code;
    for (int i = 0; i < b->count; i++) {
        cancel(&b->requests[i]);
        let_go(&b->requests[i]);
    }
    b->copied = 0; /* they may still be on their way */
    goes_on(b);
    free_batch(b);
    return code;
}

static int wait_for(Batch *b)
{
    do {
        for (int i = 0; i < b->count; i++)
            batch_fails(b, finish(&b->requests[i], MPI_STATUS_IGNORE));
        if (has_to_wait(b))
            progress();
    } while (goes_on(b));
    const int code = b->code;
    free_batch(b);
    return code;
}

int end_batch(Batch *b, Joined *joined, const RequestKind *kind, MPI_Request *request)
{
    if (b->code != MPI_SUCCESS)
        return withdraw(b);
    if (!request)
        return wait_for(b);
    b->request = new_request(kind, joined);
    if (!b->request) {
        b->code = fail(joined, MPI_ERR_NO_MEM);
        return withdraw(b);
    }
    b->next = batches;
    batches = b;
    *request = (MPI_Request)b->request;
    return MPI_SUCCESS;
}

static void note_status(Request *r, const MPI_Status *status)
{
    r->source = status->MPI_SOURCE;
    r->tag = status->MPI_TAG;
    r->bytes = bytes_that_came(status);
    r->cancelled = was_cancelled(status);
}

/* Whether all have ended. */
static bool look_at_batch(Batch *b)
{
    while (b->ended < b->count) {
        MPI_Status status = {0};
        int ended = 0;
        const int code = look_at(&b->requests[b->ended], &ended, &status);
        if (b->code == MPI_SUCCESS)
            b->code = code;
        if (!ended && code == MPI_SUCCESS)
            return false;
        if (++b->ended == b->count)
            note_status(b->request, &status);
    }
    return true;
}

bool progress_batches(void)
{
    bool moved = false;
    for (Batch **place = &batches; *place;) {
        Batch *b = *place;
        if (!look_at_batch(b) || goes_on(b)) {
            place = &b->next;
            continue;
        }
        for (place = &batches; *place != b;)
            place = &(*place)->next; /* it may have begun another */
        *place = b->next;
        Request *const request = b->request;
        const int code = b->code;
        free_batch(b); /* while its communicator is there for certain */
        end_request(request, code);
        moved = true;
    }
    return moved;
}
