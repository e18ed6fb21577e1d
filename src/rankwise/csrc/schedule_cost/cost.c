/* How long a schedule would take on a network: an estimate by a small simulation of events. */
#include "cost.h"
#include <stdlib.h>
#include <string.h>

typedef enum { STEP_READY, STEP_ENDS, AT_RESOURCE, ARRIVES } EventKind;

typedef struct {
    double time;
    int64_t order; /* of events at one time: those that were foreseen first */
    EventKind kind;
    int what; /* a step, or the sending step of a message */
} Event;

/* All ranks' steps are numbered through: those of rank r from first[r] on. */
typedef struct {
    const Schedule *schedules;
    const Network *network;
    const CostModel *model;
    double element_bytes;
    int ranks, steps, left, nodes, sites;
    int *first;      /* shape (ranks + 1) */
    int *rank;       /* of a step */
    int *waits;      /* for so many steps */
    int *next_first; /* shape (steps + 1), in next: the steps that wait for this one */
    int *next;
    int *partner;     /* of a send its receive, and the other way round */
    double *posted;   /* when a send or receive became ready; negative: it has not */
    double *came;     /* of a receive: when its message had come; of a send: when its last byte had
                         passed the resource before */
    char *stage;      /* of a message: how many resources it has passed */
    double *cpu;      /* when each is free: shape (ranks) */
    double *memory;   /* shape (ranks) */
    double *out, *in; /* shape (nodes) */
    double *link;     /* shape (sites, sites) */
    int *node;        /* of a rank */
    Event *heap;
    int events, room;
    int64_t foreseen;
    double end;
    bool failed;
} Simulation;

static bool earlier(const Event *a, const Event *b)
{
    return a->time != b->time ? a->time < b->time : a->order < b->order;
}

static void foresee(Simulation *m, double time, EventKind kind, int what)
{
    if (m->events == m->room) {
        const int more = m->room ? 2 * m->room : 1024;
        Event *larger = realloc(m->heap, (size_t)more * sizeof *larger);
        if (!larger) {
            m->failed = true;
            return;
        }
        m->heap = larger;
        m->room = more;
    }
    const Event event = {time, m->foreseen++, kind, what};
    int at = m->events++;
    for (; at && earlier(&event, &m->heap[(at - 1) / 2]); at = (at - 1) / 2)
        m->heap[at] = m->heap[(at - 1) / 2];
    m->heap[at] = event;
}

static Event next_event(Simulation *m)
{
    const Event first = m->heap[0], last = m->heap[--m->events];
    int at = 0;
    for (int child = 1; child < m->events; child = 2 * at + 1) {
        if (child + 1 < m->events && earlier(&m->heap[child + 1], &m->heap[child]))
            child++;
        if (!earlier(&m->heap[child], &last))
            break;
        m->heap[at] = m->heap[child];
        at = child;
    }
    m->heap[at] = last;
    return first;
}

static const Step *step_of(const Simulation *m, int number)
{
    const int rank = m->rank[number];
    return &m->schedules[rank].steps[number - m->first[rank]];
}

static double bytes_of(const Simulation *m, int number)
{
    return (double)step_of(m, number)->length * m->element_bytes;
}

/* One after another: when a resource that is free from *free on has done what comes at `time`. */
static double serve(double *free, double time, double seconds)
{
    *free = (time > *free ? time : *free) + seconds;
    return *free;
}

static double delay_between(const Simulation *m, int a, int b)
{
    const Network *network = m->network;
    const int from = site_of(network, a), to = site_of(network, b);
    if (from != to)
        return network->delay_seconds ? network->delay_seconds[from * network->sites + to]
                                      : m->model->far_delay;
    return m->node[a] == m->node[b] ? m->model->local_delay : m->model->near_delay;
}

static double node_rate(const Simulation *m)
{
    const double known = m->network ? m->network->node_bytes_per_second : 0;
    return known > 0 ? known : m->model->node_rate;
}

static double link_rate(const Simulation *m, int from, int to)
{
    const double *known = m->network->bytes_per_second;
    const double rate = known ? known[from * m->network->sites + to] : 0;
    return rate > 0 ? rate : node_rate(m); /* without a limit of its own */
}

/* The head of a message is at its next resource. The resource is busy for as long as it needs by
 * itself; the last byte leaves it no sooner than it came. */
static void pass(Simulation *m, int send, double time)
{
    const int a = m->rank[send], b = step_of(m, send)->peer;
    const int from = site_of(m->network, a), to = site_of(m->network, b);
    const int stage = m->stage[send]++;
    const double bytes = bytes_of(m, send), delay = delay_between(m, a, b);
    double *resource, rate = node_rate(m), then = delay;
    bool last = false;
    if (m->node[a] == m->node[b]) {
        resource = &m->memory[a];
        rate = m->model->memory_rate;
        last = true;
    } else if (stage == 0) {
        resource = &m->out[m->node[a]];
        then = from == to ? delay : 0;
    } else if (stage == 1 && from != to) {
        resource = &m->link[from * m->sites + to];
        rate = link_rate(m, from, to);
    } else {
        resource = &m->in[m->node[b]];
        last = true;
        then = 0;
    }
    const double served = serve(resource, time, bytes / rate);
    const double left = served > m->came[send] ? served : m->came[send];
    if (stage == 0)
        foresee(m, served, STEP_ENDS, send);
    m->came[send] = left + then;
    if (last)
        foresee(m, left + then, ARRIVES, send);
    else
        foresee(m, served - bytes / rate + then, AT_RESOURCE, send);
}

static bool eager(const Simulation *m, int send)
{
    return bytes_of(m, send) <= m->model->eager;
}

/* Once both sides are ready: the request has come, and the answer has come back. */
static void agree(Simulation *m, int send)
{
    const double asked = m->posted[send], ready = m->posted[m->partner[send]];
    const double delay = delay_between(m, m->rank[send], step_of(m, send)->peer);
    if (asked >= 0 && ready >= 0)
        foresee(m, (asked + delay > ready ? asked + delay : ready) + delay, AT_RESOURCE, send);
}

static void receive_ends(Simulation *m, int receive)
{
    const double posted = m->posted[receive], came = m->came[receive];
    if (posted >= 0 && came >= 0)
        foresee(m,
                serve(&m->cpu[m->rank[receive]], posted > came ? posted : came, m->model->overhead),
                STEP_ENDS, receive);
}

static void begin_step(Simulation *m, int number, double time)
{
    const Step *step = step_of(m, number);
    double *cpu = &m->cpu[m->rank[number]];
    if (step->kind == SEND_STEP) {
        m->posted[number] = serve(cpu, time, m->model->overhead);
        if (eager(m, number))
            foresee(m, m->posted[number], AT_RESOURCE, number);
        else
            agree(m, number);
    } else if (step->kind == RECEIVE_STEP) {
        m->posted[number] = time;
        receive_ends(m, number);
        if (!eager(m, m->partner[number]))
            agree(m, m->partner[number]);
    } else {
        const double seconds = bytes_of(m, number) / m->model->memory_rate;
        foresee(m, seconds > 0 ? serve(cpu, time, seconds) : time, STEP_ENDS, number);
    }
}

static void end_step(Simulation *m, int number, double time)
{
    m->left--;
    m->end = time > m->end ? time : m->end;
    for (int i = m->next_first[number]; i < m->next_first[number + 1]; i++)
        if (--m->waits[m->next[i]] == 0)
            foresee(m, time, STEP_READY, m->next[i]);
}

static void simulate(Simulation *m)
{
    for (int i = 0; i < m->steps; i++)
        if (!m->waits[i])
            foresee(m, 0, STEP_READY, i);
    while (m->events && !m->failed) {
        const Event event = next_event(m);
        switch (event.kind) {
        case STEP_READY:
            begin_step(m, event.what, event.time);
            break;
        case STEP_ENDS:
            end_step(m, event.what, event.time);
            break;
        case AT_RESOURCE:
            pass(m, event.what, event.time);
            break;
        case ARRIVES:
            m->came[m->partner[event.what]] = event.time;
            receive_ends(m, m->partner[event.what]);
            break;
        }
    }
}

/* Who waits for whom, seen from the other side. */
static void turn_dependencies(Simulation *m)
{
    for (int pass = 0; pass < 2; pass++) {
        for (int number = m->steps - 1; number >= 0; number--) {
            const Step *step = step_of(m, number);
            const int first = m->first[m->rank[number]];
            const int *on = m->schedules[m->rank[number]].dependency + step->first_dependency;
            m->waits[number] = step->dependencies;
            for (int i = 0; i < step->dependencies; i++) {
                const int at = first + on[i];
                if (pass == 0)
                    m->next_first[at]++;
                else
                    m->next[--m->next_first[at]] = number;
            }
        }
        for (int i = 0; pass == 0 && i < m->steps; i++)
            m->next_first[i + 1] += m->next_first[i];
    }
}

typedef struct {
    int from, to, tag, number;
} Message;

static int by_message(const void *one, const void *other)
{
    const Message *a = one, *b = other;
    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    if (a->to != b->to)
        return a->to < b->to ? -1 : 1;
    if (a->tag != b->tag)
        return a->tag < b->tag ? -1 : 1;
    return (a->number > b->number) - (a->number < b->number);
}

/* Sends and receives of one pair and tag meet in their order. */
static bool find_partners(Simulation *m)
{
    Message *sends = malloc(2 * ((size_t)m->steps + 1) * sizeof *sends);
    Message *receives = sends ? sends + m->steps : NULL;
    int sent = 0, received = 0;
    for (int i = 0; sends && i < m->steps; i++) {
        const Step *step = step_of(m, i);
        if (step->kind == SEND_STEP)
            sends[sent++] = (Message){m->rank[i], step->peer, step->tag, i};
        else if (step->kind == RECEIVE_STEP)
            receives[received++] = (Message){step->peer, m->rank[i], step->tag, i};
    }
    bool matched = sends && sent == received;
    if (matched) {
        qsort(sends, (size_t)sent, sizeof *sends, by_message);
        qsort(receives, (size_t)sent, sizeof *receives, by_message);
    }
    for (int i = 0; matched && i < sent; i++) {
        matched = sends[i].from == receives[i].from && sends[i].to == receives[i].to &&
                  sends[i].tag == receives[i].tag;
        m->partner[sends[i].number] = receives[i].number;
        m->partner[receives[i].number] = sends[i].number;
    }
    free(sends);
    return matched;
}

/* All arrays are parts of one piece of memory, which is returned. */
static void *lay_out(Simulation *m, int dependencies)
{
    const size_t steps = (size_t)m->steps, ranks = (size_t)m->ranks;
    const size_t nodes = (size_t)m->nodes, sites = (size_t)m->sites;
    const size_t doubles = 2 * steps + 2 * ranks + 2 * nodes + sites * sites;
    const size_t ints = 2 * ranks + 1 + 4 * steps + 1 + (size_t)dependencies;
    double *memory = calloc(1, doubles * sizeof(double) + ints * sizeof(int) + steps);
    if (!memory)
        return NULL;
    m->posted = memory;
    m->came = m->posted + steps;
    m->cpu = m->came + steps;
    m->memory = m->cpu + ranks;
    m->out = m->memory + ranks;
    m->in = m->out + nodes;
    m->link = m->in + nodes;
    m->node = (int *)(m->link + sites * sites);
    m->first = m->node + ranks;
    m->rank = m->first + ranks + 1;
    m->waits = m->rank + steps;
    m->partner = m->waits + steps;
    m->next_first = m->partner + steps;
    m->next = m->next_first + steps + 1;
    m->stage = (char *)(m->next + dependencies);
    return memory;
}

static void number_steps(Simulation *m)
{
    const int levels = m->network ? m->network->levels : 0;
    int number = 0;
    for (int r = 0; r < m->ranks; r++) {
        m->node[r] = levels > 1 ? group_of(m->network, levels - 1, r) : r;
        m->first[r] = number;
        for (int i = 0; i < m->schedules[r].count; i++)
            m->rank[number++] = r;
    }
    m->first[m->ranks] = number;
    for (int i = 0; i < m->steps; i++)
        m->posted[i] = m->came[i] = -1;
}

double estimate_seconds(const Schedule *schedules, int ranks, const Network *network,
                        double element_bytes, const CostModel *model)
{
    Simulation m = {.schedules = schedules,
                    .network = network,
                    .model = model,
                    .element_bytes = element_bytes,
                    .ranks = ranks,
                    .nodes = ranks,
                    .sites = network && network->levels ? network->sites : 1};
    int dependencies = 0;
    for (int r = 0; r < ranks; r++) {
        m.steps += schedules[r].count;
        dependencies += schedules[r].dependency_count;
    }
    m.left = m.steps;
    void *memory = lay_out(&m, dependencies);
    if (!memory)
        return -1;
    number_steps(&m);
    turn_dependencies(&m);
    if (find_partners(&m))
        simulate(&m);
    free(m.heap);
    free(memory);
    return m.left || m.failed ? -1 : m.end;
}
