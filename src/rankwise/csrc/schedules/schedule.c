/* Building the steps of one rank. */
#include "schedule.h"
#include <stdlib.h>

static bool grow(void **memory, int *room, int count, size_t bytes)
{
    if (count < *room)
        return true;
    const int more = *room ? 2 * *room : 16;
    void *larger = realloc(*memory, (size_t)more * bytes);
    if (!larger)
        return false;
    *memory = larger;
    *room = more;
    return true;
}

static int add(Schedule *s, Step step, int after)
{
    if (!grow((void **)&s->steps, &s->room, s->count, sizeof *s->steps)) {
        refuse(s, "no memory for the steps of a schedule");
        return NO_STEP;
    }
    step.first_dependency = s->dependency_count;
    s->steps[s->count] = step;
    if (step.tag >= s->tags)
        s->tags = step.tag + 1;
    const int number = s->count++;
    depend(s, number, after);
    return number;
}

int add_send(Schedule *s, int peer, int tag, Place from, int64_t length, int after)
{
    if (length <= 0)
        return after;
    return add(s,
               (Step){.kind = SEND_STEP, .peer = peer, .tag = tag, .from = from, .length = length},
               after);
}

int add_receive(Schedule *s, int peer, int tag, Place to, int64_t length, int after)
{
    if (length <= 0)
        return after;
    return add(s,
               (Step){.kind = RECEIVE_STEP, .peer = peer, .tag = tag, .to = to, .length = length},
               after);
}

static bool same(Place a, Place b)
{
    return a.memory == b.memory && a.offset == b.offset;
}

int add_copy(Schedule *s, Place from, Place to, int64_t length, int after)
{
    if (length <= 0 || same(from, to))
        return after;
    return add(s, (Step){.kind = COPY_STEP, .peer = -1, .from = from, .to = to, .length = length},
               after);
}

int add_reduce(Schedule *s, Place from, Place to, int64_t length, int after)
{
    if (length <= 0)
        return after;
    return add(s, (Step){.kind = REDUCE_STEP, .peer = -1, .from = from, .to = to, .length = length},
               after);
}

int add_signal(Schedule *s, int peer, int tag, int after)
{
    return add(s, (Step){.kind = SEND_STEP, .peer = peer, .tag = tag}, after);
}

int add_signal_receive(Schedule *s, int peer, int tag, int after)
{
    return add(s, (Step){.kind = RECEIVE_STEP, .peer = peer, .tag = tag}, after);
}

int add_join(Schedule *s, int after)
{
    return add(s, (Step){.kind = COPY_STEP, .peer = -1}, after);
}

int both(Schedule *s, int a, int b)
{
    if (a == b || b == NO_STEP)
        return a;
    if (a == NO_STEP)
        return b;
    const int join = add_join(s, a);
    depend(s, join, b);
    return join;
}

int join_since(Schedule *s, int first, int after)
{
    const int last = s->count;
    if (last - first <= 1)
        return last > first ? first : after;
    const int join = add_join(s, NO_STEP);
    for (int step = first; step < last; step++)
        depend(s, join, step);
    return join;
}

void depend(Schedule *s, int step, int on)
{
    if (step == NO_STEP || on == NO_STEP || step == on)
        return;
    if (step != s->count - 1 || on >= step) {
        refuse(s, "a step can wait only for earlier ones, and only while it is the newest");
        return;
    }
    if (!grow((void **)&s->dependency, &s->dependency_room, s->dependency_count,
              sizeof *s->dependency)) {
        refuse(s, "no memory for the dependencies of a schedule");
        return;
    }
    s->dependency[s->dependency_count++] = on;
    s->steps[step].dependencies++;
}

Place add_scratch(Schedule *s, int64_t elements)
{
    const Place start = place(SCRATCH_MEMORY, s->scratch);
    if (elements > 0)
        s->scratch += elements;
    return start;
}

void refuse(Schedule *s, const char *reason)
{
    if (!s->failure)
        s->failure = reason;
}

void free_schedule(Schedule *s)
{
    free(s->steps);
    free(s->dependency);
    *s = (Schedule){0};
}
