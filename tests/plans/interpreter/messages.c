/* Messages of every sort. What a receive is to get is known from the plan, or is one of a pool:
 * those that several send with the same tag, of which each comes once, in the order of its sender.
 */
#include "plan.h"
#include <stdlib.h>
#include <string.h>

enum { SENT_FLAGS = 10, FROM = 11 };

/* What has come out of a pool, by the place of the receive in the order of posting. */
typedef struct {
    int pool, post, source, message;
} Taken;

static struct {
    Taken *taken;
    int count;
} pools[MAX_THREADS + 1];

void forget_pools(void)
{
    for (int i = 0; i <= MAX_THREADS; i++)
        free(pools[i].taken), pools[i].taken = NULL, pools[i].count = 0;
}

static int number_of(const char *word, int any)
{
    return word[0] == '*' ? any : atoi(word);
}

static Operation *new_operation(const Step *step, Sort sort)
{
    Operation *op = &plan.operations[atoi(step->word[1])];
    *op = (Operation){.sort = sort, .step = step, .comm = &plan.comms[atoi(step->word[2])]};
    op->request = MPI_REQUEST_NULL;
    return op;
}

void fill_message(Operation *op)
{
    const Step *step = op->step;
    clear_area(op->sort == SEND ? &op->out : &op->in);
    if (op->sort != SEND)
        return;
    const Source source = {
        .operation = atoi(step->word[1]), .round = op->round, .named = flag(step, SENT_FLAGS, 'p')};
    put(op->out.memory, &op->out, 0, atoi(step->word[9]), source);
}

void send_message(const Step *step)
{
    if (atoi(step->word[3]) != plan.rank)
        return;
    Operation *op = new_operation(step, SEND);
    const Comm *comm = op->comm;
    const int to = place_of(comm->remote, comm->remote_size, atoi(step->word[4])),
              tag = atoi(step->word[5]);
    const char *kind = step->word[6];
    const int blocking = kind[0] != 'i' && !strstr(kind, "_init");
    int count;
    op->out = make_area(step->word[7], step->word[8], 0, atoi(step->word[9]));
    fill_message(op);
    void *data = address_of(&op->out, &count);
    MPI_Datatype type = op->out.layout.type;
    MPI_Request *request = &op->request;
    if (!strcmp(kind, "send"))
        MPI_Send(data, count, type, to, tag, comm->handle);
    else if (!strcmp(kind, "ssend"))
        MPI_Ssend(data, count, type, to, tag, comm->handle);
    else if (!strcmp(kind, "bsend"))
        MPI_Bsend(data, count, type, to, tag, comm->handle);
    else if (!strcmp(kind, "rsend"))
        MPI_Rsend(data, count, type, to, tag, comm->handle);
    else if (!strcmp(kind, "isend"))
        MPI_Isend(data, count, type, to, tag, comm->handle, request);
    else if (!strcmp(kind, "issend"))
        MPI_Issend(data, count, type, to, tag, comm->handle, request);
    else if (!strcmp(kind, "ibsend"))
        MPI_Ibsend(data, count, type, to, tag, comm->handle, request);
    else if (!strcmp(kind, "irsend"))
        MPI_Irsend(data, count, type, to, tag, comm->handle, request);
    else if (!strcmp(kind, "send_init"))
        MPI_Send_init(data, count, type, to, tag, comm->handle, request);
    else if (!strcmp(kind, "ssend_init"))
        MPI_Ssend_init(data, count, type, to, tag, comm->handle, request);
    else
        MPI_Bsend_init(data, count, type, to, tag, comm->handle, request);
    op->persistent = strstr(kind, "_init") != NULL;
    op->active = !blocking && !op->persistent;
    if (blocking)
        free_area(&op->out);
    else if (flag(step, SENT_FLAGS, 't'))
        free_layout(&op->out.layout);
}

/* Whether what has been taken from the same source was sent in the order of the receives. */
static void look_at_order(const Operation *op, int pool, int message)
{
    const int thread = op->step->thread + 1;
    const Taken now = {pool, op->post, op->source, message};
    for (int i = 0; i < pools[thread].count; i++) {
        const Taken *one = &pools[thread].taken[i];
        if (one->pool != pool)
            continue;
        if (one->message == message)
            wrong("message %d came twice", message);
        else if (one->source == now.source && (one->post < now.post) != (one->message < message))
            wrong("messages %d and %d overtook one another", one->message, message);
    }
    Taken *grown = realloc(pools[thread].taken, sizeof(Taken) * (size_t)(pools[thread].count + 1));
    grown[pools[thread].count++] = now;
    pools[thread].taken = grown;
}

/* The step that sends it; NULL if none can have. */
static const Step *sender_of(Operation *op, int source, int tag)
{
    const char *from = op->step->word[FROM];
    const int pool = from[0] == 'p';
    int message = atoi(from + 1);
    if (pool) {
        message = (int)get(op->in.memory, &op->in, 0, 0);
        if (message < 0 || message >= plan.steps || !plan.made_by[message] ||
            strcmp(plan.made_by[message]->word[0], "send") != 0) {
            wrong("its first element %d is the number of no message", message);
            return NULL;
        }
    }
    const Step *sent = plan.made_by[message];
    op->source = atoi(sent->word[3]), op->tag = atoi(sent->word[5]);
    const int known = op->comm->remote[source >= 0 && source < op->comm->remote_size ? source : 0];
    if (known != op->source || tag != op->tag || (pool && !flag(sent, SENT_FLAGS, 'p')) ||
        atoi(sent->word[4]) != plan.rank || strcmp(sent->word[2], op->step->word[2]) != 0) {
        wrong("message %d: expected from %d with tag %d, got from %d (rank %d there) with tag %d",
              message, op->source, op->tag, known, source, tag);
        return NULL;
    }
    if (pool)
        look_at_order(op, atoi(from + 1), message);
    return sent;
}

static void look_at_count(MPI_Status *status, const Area *area, const Step *sent, const char *what)
{
    const int units = atoi(sent->word[9]), expected = units * area->layout.unit.length;
    int elements;
    MPI_Get_elements(status, type_of(&area->layout.unit), &elements);
    if (elements != expected)
        wrong("%s: expected %d elements, got %d", what, expected, elements);
}

/* After it has come. */
void check_message(Operation *op, MPI_Status *status)
{
    const Step *sent = sender_of(op, status->MPI_SOURCE, status->MPI_TAG);
    if (!sent)
        return;
    look_at_count(status, &op->in, sent, "received");
    const Source source = {
        .operation = atoi(sent->word[1]), .round = op->round, .named = flag(sent, SENT_FLAGS, 'p')};
    put(op->in.expected, &op->in, 0, atoi(sent->word[9]), source);
    check_area(&op->in, "received");
}

/* A probe has shown it; of a pool anything may be next. */
static void look_at_probed(const Operation *op, MPI_Status *status)
{
    if (op->step->word[FROM][0] == 'p')
        return;
    const Step *sent = plan.made_by[atoi(op->step->word[FROM] + 1)];
    const int source = place_of(op->comm->remote, op->comm->remote_size, atoi(sent->word[3]));
    if (status->MPI_SOURCE != source || status->MPI_TAG != atoi(sent->word[5]))
        wrong("probed: expected from rank %d with tag %s, got from rank %d with tag %d", source,
              sent->word[5], status->MPI_SOURCE, status->MPI_TAG);
    look_at_count(status, &op->in, sent, "probed");
}

static void probe_and_receive(Operation *op, const char *kind, int source, int tag, void *data,
                              int count)
{
    MPI_Status probed, received;
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Comm comm = op->comm->handle;
    int there = 0;
    if (!strcmp(kind, "probe"))
        MPI_Probe(source, tag, comm, &probed);
    while (!strcmp(kind, "iprobe") && !there)
        MPI_Iprobe(source, tag, comm, &there, &probed);
    if (!strcmp(kind, "mprobe") || !strcmp(kind, "imrecv"))
        MPI_Mprobe(source, tag, comm, &message, &probed);
    while (!strcmp(kind, "improbe") && !there)
        MPI_Improbe(source, tag, comm, &there, &message, &probed);
    look_at_probed(op, &probed);
    if (!strcmp(kind, "imrecv")) {
        MPI_Imrecv(data, count, op->in.layout.type, &message, &op->request);
        op->active = 1;
        return;
    }
    if (strchr(kind, 'm'))
        MPI_Mrecv(data, count, op->in.layout.type, &message, &received);
    else
        MPI_Recv(data, count, op->in.layout.type, probed.MPI_SOURCE, probed.MPI_TAG, comm,
                 &received);
    if (received.MPI_SOURCE != probed.MPI_SOURCE || received.MPI_TAG != probed.MPI_TAG)
        wrong("received from %d with tag %d after a probe that showed %d with tag %d",
              received.MPI_SOURCE, received.MPI_TAG, probed.MPI_SOURCE, probed.MPI_TAG);
    check_message(op, &received);
}

void receive_message(const Step *step)
{
    if (atoi(step->word[3]) != plan.rank)
        return;
    Operation *op = new_operation(step, RECEIVE);
    const Comm *comm = op->comm;
    const char *kind = step->word[6];
    int count, source = number_of(step->word[4], MPI_ANY_SOURCE);
    const int tag = number_of(step->word[5], MPI_ANY_TAG);
    if (source != MPI_ANY_SOURCE)
        source = place_of(comm->remote, comm->remote_size, source);
    op->post = step->number;
    op->in = make_area(step->word[7], step->word[8], 1, atoi(step->word[9]));
    fill_message(op);
    void *data = address_of(&op->in, &count);
    MPI_Datatype type = op->in.layout.type;
    MPI_Status status;
    if (!strcmp(kind, "irecv")) {
        MPI_Irecv(data, count, type, source, tag, comm->handle, &op->request);
        op->active = 1;
    } else if (!strcmp(kind, "recv_init")) {
        MPI_Recv_init(data, count, type, source, tag, comm->handle, &op->request);
        op->persistent = 1;
    } else if (!strcmp(kind, "recv")) {
        MPI_Recv(data, count, type, source, tag, comm->handle, &status);
        check_message(op, &status);
    } else
        probe_and_receive(op, kind, source, tag, data, count);
    if (!op->active && !op->persistent)
        free_area(&op->in);
    else if (flag(step, SENT_FLAGS, 't'))
        free_layout(&op->in.layout);
}

/* exchange Q C KIND TAG SHIFT SIGNATURE LAYOUTS N: round the communicator. */
void exchange(const Step *step)
{
    const Comm *comm = &plan.comms[atoi(step->word[2])];
    if (!comm->live)
        return;
    const int shift = atoi(step->word[5]), units = atoi(step->word[8]), tag = atoi(step->word[4]);
    const int to = (comm->rank + shift) % comm->size,
              from = (comm->rank + comm->size - shift % comm->size) % comm->size;
    const int in_place = !strcmp(step->word[3], "replace");
    int sent, got;
    MPI_Status status;
    Source own = {.operation = atoi(step->word[1]), .from = plan.rank}, other = own;
    other.from = comm->members[from];
    Area in = make_area(step->word[6], step->word[7], comm->rank, units);
    Area out = make_area(step->word[6], step->word[7], comm->rank + 1, units);
    put(in_place ? in.memory : out.memory, in_place ? &in : &out, 0, units, own);
    put(in.expected, &in, 0, units, other);
    void *data = address_of(&in, &got), *sending = address_of(&out, &sent);
    if (in_place)
        MPI_Sendrecv_replace(data, got, in.layout.type, to, tag, from, tag, comm->handle, &status);
    else
        MPI_Sendrecv(sending, sent, out.layout.type, to, tag, data, got, in.layout.type, from, tag,
                     comm->handle, &status);
    if (status.MPI_SOURCE != from || status.MPI_TAG != tag)
        wrong("exchanged: expected from %d, got from %d with tag %d", from, status.MPI_SOURCE,
              status.MPI_TAG);
    check_area(&in, "exchanged");
    free_area(&in), free_area(&out);
}

/* cancel C RANK TAG: a receive for which nothing comes. */
void cancel_receive(const Step *step)
{
    if (atoi(step->word[2]) != plan.rank)
        return;
    int nothing = 0, cancelled = 0;
    MPI_Request request;
    MPI_Status status;
    MPI_Irecv(&nothing, 1, MPI_INT, MPI_ANY_SOURCE, atoi(step->word[3]),
              plan.comms[atoi(step->word[1])].handle, &request);
    MPI_Cancel(&request);
    MPI_Wait(&request, &status);
    MPI_Test_cancelled(&status, &cancelled);
    if (!cancelled)
        wrong("a receive without a message was not cancelled");
}
