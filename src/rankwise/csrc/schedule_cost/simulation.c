/* The events of a schedule that is carried out. */
#include "simulation.h"
#include <stdlib.h>

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

const Step *step_of(const Simulation *m, int number)
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

void simulate(Simulation *m)
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
