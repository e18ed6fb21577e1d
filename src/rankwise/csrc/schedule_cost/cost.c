/* How long a schedule would take on a network: what a simulation needs to know beforehand. */
#include "cost.h"
#include "simulation.h"
#include <stdlib.h>

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
    Message *sends = calloc(2 * ((size_t)m->steps + 1), sizeof *sends);
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
    m->node = (void *)(m->link + sites * sites);
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
