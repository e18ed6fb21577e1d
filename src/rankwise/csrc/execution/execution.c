/* What is ready is posted or done, what has ended makes its dependents ready, and one MPI_Waitsome
 * waits for all messages that are under way. */
#include "execution.h"
#include "dependents.h"
#include "elements.h"
#include "requests.h"
#include <sched.h>
#include <stdlib.h>

/* Of sends and of receives under way: more make each MPI_Waitsome slower, fewer leave links idle. A
 * step that is held back may be what a peer waits for. So where nothing ends for PATIENCE_SECONDS,
 * twice as many are allowed, which frees any schedule that can end without a bound. */
enum { WINDOW = 128 };
static const double PATIENCE_SECONDS = 0.02;

/* Steps that are ready, in this order. Each step comes to one queue once. */
enum { RECEIVES, SENDS, LOCAL, QUEUES };
typedef struct {
    int *steps;
    int head, tail;
} Queue;

struct Execution {
    const Schedule *schedule;
    Dependents dependents;
    Elements elements;
    Queue queues[QUEUES];
    int *waiting;   /* of each step: for so many steps, then for so many messages of its own */
    int unfinished; /* steps */
    bool local;     /* there are copies or reductions */
    int window;
    int under_way[LOCAL]; /* receives and sends */
    Requests requests;
    double last_progress; /* when something ended while steps were held back; 0: unknown */
};

static int queue_of(const Step *step)
{
    return step->kind == RECEIVE_STEP ? RECEIVES : step->kind == SEND_STEP ? SENDS : LOCAL;
}

static void make_ready(Execution *e, int step)
{
    Queue *queue = &e->queues[queue_of(&e->schedule->steps[step])];
    queue->steps[queue->tail++] = step;
}

static void finish(Execution *e, int step)
{
    const int end = e->dependents.first[step + 1];
    for (int i = e->dependents.first[step]; i < end; i++) {
        const int dependent = e->dependents.dependent[i];
        if (--e->waiting[dependent] == 0)
            make_ready(e, dependent);
    }
    e->unfinished--;
}

static int post_part(Execution *e, int number, int kind, int64_t start, int length)
{
    const Step *step = &e->schedule->steps[number];
    const Call *call = &e->elements.call;
    const int tag = call->first_tag + step->tag;
    if (!room_for_request(&e->requests))
        return MPI_ERR_NO_MEM;
    MPI_Request *request = &e->requests.requests[e->requests.count];
    const int error = kind == SENDS
                          ? PMPI_Isend(address(&e->elements, beyond(step->from, start)), length,
                                       call->type, step->peer, tag, call->comm, request)
                          : PMPI_Irecv(address(&e->elements, beyond(step->to, start)), length,
                                       call->type, step->peer, tag, call->comm, request);
    if (error == MPI_SUCCESS) {
        e->requests.owners[e->requests.count++] = number;
        e->under_way[kind]++;
        e->waiting[number]++;
    }
    return error;
}

/* In several messages if it is long, all with its tag: both sides cut it alike, and messages
 * between two ranks do not overtake one another. */
static int post(Execution *e, int number, int kind)
{
    const int64_t length = e->schedule->steps[number].length;
    int64_t start = 0;
    int error;
    do {
        const int part = part_of(&e->elements, length - start);
        error = post_part(e, number, kind, start, part);
        start += part;
    } while (start < length && error == MPI_SUCCESS);
    return error;
}

static int do_locally(Execution *e, int number)
{
    const Step *step = &e->schedule->steps[number];
    if (!step->length)
        return MPI_SUCCESS;
    return step->kind == COPY_STEP
               ? copy_elements(&e->elements, step->from, step->to, step->length)
               : reduce_elements(&e->elements, step->from, step->to, step->length);
}

static bool can_post(const Execution *e, int kind)
{
    return e->queues[kind].head < e->queues[kind].tail && e->under_way[kind] < e->window;
}

/* All that can be done without waiting; messages first, so that they travel meanwhile. */
static int advance(Execution *e)
{
    int error = MPI_SUCCESS;
    while (error == MPI_SUCCESS) {
        Queue *local = &e->queues[LOCAL];
        if (can_post(e, RECEIVES)) {
            error = post(e, e->queues[RECEIVES].steps[e->queues[RECEIVES].head++], RECEIVES);
        } else if (can_post(e, SENDS)) {
            error = post(e, e->queues[SENDS].steps[e->queues[SENDS].head++], SENDS);
        } else if (local->head < local->tail) {
            const int step = local->steps[local->head++];
            error = do_locally(e, step);
            if (error == MPI_SUCCESS)
                finish(e, step);
        } else {
            break;
        }
    }
    return error;
}

static bool holds_back(const Execution *e)
{
    return e->queues[RECEIVES].head < e->queues[RECEIVES].tail ||
           e->queues[SENDS].head < e->queues[SENDS].tail;
}

/* MPI sets the handle of a request that has ended to MPI_REQUEST_NULL. */
static void collect(Execution *e)
{
    Requests *r = &e->requests;
    int left = 0;
    for (int i = 0; i < r->count; i++) {
        const int step = r->owners[i];
        if (r->requests[i] == MPI_REQUEST_NULL) {
            e->under_way[queue_of(&e->schedule->steps[step])]--;
            if (--e->waiting[step] == 0)
                finish(e, step);
        } else {
            r->requests[left] = r->requests[i];
            r->owners[left++] = step;
        }
    }
    r->count = left;
}

/* Where nothing has ended for long, more may have to be under way. */
static void widen(Execution *e, bool ended)
{
    const double now = PMPI_Wtime();
    if (ended || e->last_progress == 0) {
        e->last_progress = now;
        return;
    }
    sched_yield(); /* a rank that shares the core may have to send first */
    if (now - e->last_progress > PATIENCE_SECONDS) {
        e->window *= 2;
        e->last_progress = now;
    }
}

/* Some messages end; with `waits` at least one, unless the bound may have to be widened. */
static int end_messages(Execution *e, bool waits)
{
    const bool held = holds_back(e);
    int ended;
    const int error = end_some(&e->requests, waits && !held, &ended);
    if (error != MPI_SUCCESS)
        return error;
    if (held)
        widen(e, ended > 0);
    if (ended > 0)
        collect(e);
    return MPI_SUCCESS;
}

/* Nothing of an execution that has failed stays under way. A send cannot be taken back: memory that
 * MPI may still read is left to it. */
static int end_all(Execution *e, int error)
{
    Requests *r = &e->requests;
    for (int i = 0; i < r->count; i++) {
        if (r->requests[i] == MPI_REQUEST_NULL)
            continue;
        if (e->schedule->steps[r->owners[i]].kind == RECEIVE_STEP)
            PMPI_Cancel(&r->requests[i]);
        else
            leave_scratch(&e->elements);
        PMPI_Request_free(&r->requests[i]);
    }
    r->count = e->unfinished = 0;
    return error;
}

int test_execution(Execution *e, int *done)
{
    int error = MPI_SUCCESS;
    if (e->requests.count && (error = end_messages(e, false)) == MPI_SUCCESS)
        error = advance(e);
    *done = e->unfinished == 0;
    return error == MPI_SUCCESS ? error : end_all(e, error);
}

int wait_execution(Execution *e)
{
    int error = MPI_SUCCESS;
    while (e->unfinished && error == MPI_SUCCESS) {
        if (!e->requests.count)
            return MPI_ERR_OTHER; /* steps wait for one another: that is no schedule */
        error = end_messages(e, true);
        if (error == MPI_SUCCESS)
            error = advance(e);
    }
    return error == MPI_SUCCESS ? error : end_all(e, error);
}

int begin_again(Execution *e, const Call *call)
{
    const Schedule *s = e->schedule;
    int error = open_elements(&e->elements, call, s->scratch, e->local);
    e->unfinished = s->count;
    e->window = WINDOW;
    e->last_progress = 0;
    e->requests.count = e->under_way[RECEIVES] = e->under_way[SENDS] = 0;
    for (int queue = 0; queue < QUEUES; queue++)
        e->queues[queue].head = e->queues[queue].tail = 0;
    for (int step = 0; step < s->count; step++)
        if (!(e->waiting[step] = s->steps[step].dependencies))
            make_ready(e, step);
    if (error == MPI_SUCCESS)
        error = advance(e);
    return error == MPI_SUCCESS ? error : end_all(e, error);
}

/* Queues as long as there are steps of their kind, and the counts that steps wait for. */
static bool make_queues(Execution *e)
{
    int counts[QUEUES] = {0};
    const int steps = e->schedule->count;
    for (int step = 0; step < steps; step++)
        counts[queue_of(&e->schedule->steps[step])]++;
    e->local = counts[LOCAL] > 0;
    e->waiting = malloc((2 * (size_t)steps + 1) * sizeof *e->waiting);
    if (!e->waiting)
        return false;
    e->queues[RECEIVES].steps = e->waiting + steps;
    e->queues[SENDS].steps = e->queues[RECEIVES].steps + counts[RECEIVES];
    e->queues[LOCAL].steps = e->queues[SENDS].steps + counts[SENDS];
    return true;
}

int begin_execution(Execution **execution, const Schedule *schedule, const Call *call)
{
    Execution *e = calloc(1, sizeof *e);
    *execution = NULL;
    if (!e)
        return MPI_ERR_NO_MEM;
    e->schedule = schedule;
    int error = MPI_ERR_NO_MEM;
    if (make_dependents(&e->dependents, schedule) && make_queues(e))
        error = begin_again(e, call);
    if (error == MPI_SUCCESS)
        *execution = e;
    else
        free_execution(e);
    return error;
}

void free_execution(Execution *e)
{
    if (!e)
        return;
    free_dependents(&e->dependents);
    close_elements(&e->elements);
    free(e->waiting);
    free_requests(&e->requests);
    free(e);
}

int execute(const Schedule *schedule, const Call *call, Execution **memory)
{
    Execution *own = NULL, **execution = memory ? memory : &own;
    const bool again = *execution != NULL;
    int error = again ? begin_again(*execution, call) : begin_execution(execution, schedule, call);
    if (error == MPI_SUCCESS)
        error = wait_execution(*execution);
    free_execution(own);
    return error;
}
