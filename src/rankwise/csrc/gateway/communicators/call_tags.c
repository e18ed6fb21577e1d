#include "call_tags.h"
#include "progress.h"
#include <stdlib.h>

/* The bound in three parts: ordinary calls, persistent ones, and tags of the program's. */
enum { PARTS = 3 };

static CallTags *new_tags(TagsInUse *all, int number)
{
    CallTags *p = calloc(1, sizeof *p);
    if (p)
        *p = (CallTags){.all = all, .number = number, .holders = 1};
    return p;
}

CallTags *take_tags(TagsInUse *all)
{
    CallTags *p = new_tags(all, (int)(all->calls % CALLS_AT_ONCE));
    if (!p)
        return NULL;
    all->calls++;
    CallTags **newest = &all->newest[p->number];
    p->waits = *newest != NULL;
    if (*newest)
        (*newest)->follower = p;
    *newest = p;
    return p;
}

CallTags *take_persistent_tags(TagsInUse *all)
{
    const int number = (int)(all->persistent_calls++ % PERSISTENT_AT_ONCE);
    CallTags *p = all->taken[number] ? NULL : new_tags(all, number);
    if (!p)
        return NULL;
    p->persistent = all->taken[number] = true;
    return p;
}

void hold_tags(CallTags *p)
{
    p->holders++;
}

void leave_tags(CallTags *p)
{
    TagsInUse *all = p->all;
    if (--p->holders)
        return;
    if (p->persistent)
        all->taken[p->number] = false;
    else if (p->follower)
        p->follower->waits = false;
    else
        all->newest[p->number] = NULL;
    free(p);
}

void await_tags(const CallTags *p)
{
    while (p->waits)
        progress();
}

static int part_of(int tag_bound)
{
    return tag_bound / PARTS;
}

int tag_count(const CallTags *tags)
{
    return part_of(tags->all->tag_bound) / (tags->persistent ? PERSISTENT_AT_ONCE : CALLS_AT_ONCE);
}

int first_tag(const CallTags *tags)
{
    return (tags->persistent ? part_of(tags->all->tag_bound) : 0) + tags->number * tag_count(tags);
}

int tag_of_program(int tag_bound, int communicator_number, int tag)
{
    const int part = part_of(tag_bound);
    const unsigned mixed = (unsigned)tag + (unsigned)communicator_number * 2654435761U;
    return 2 * part + (int)(mixed % (unsigned)part);
}
