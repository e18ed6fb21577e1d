#include "matching.h"

int local_waits;

static bool fits(int source, int tag, int from, int with)
{
    return (source == MPI_ANY_SOURCE || source == from) && (tag == MPI_ANY_TAG || tag == with);
}

bool may_be_local(const Joined *j, int source)
{
    return source == MPI_ANY_SOURCE ? j->local_size > 0 : j->to_local[source] >= 0;
}

bool must_wait(const Joined *j, int source)
{
    (void)source; /* even another one's: its message may be behind what the first would take */
    return j->context->local_waits > 0;
}

void add_posted(Request *r)
{
    Context *c = r->joined->context;
    r->next = NULL;
    if (c->last)
        c->last->next = r;
    else
        c->posted = r;
    c->last = r;
    if (may_be_local(r->joined, r->source)) {
        c->local_waits++;
        local_waits++;
    }
}

static void unlink_receive(Context *c, Request *r)
{
    Request *before = NULL;
    for (Request *one = c->posted; one != r; one = one->next)
        before = one;
    if (before)
        before->next = r->next;
    else
        c->posted = r->next;
    if (c->last == r)
        c->last = before;
    if (may_be_local(r->joined, r->source)) {
        c->local_waits--;
        local_waits--;
    }
}

Request *take_posted(Context *c, int source, int tag)
{
    for (Request *r = c->posted; r; r = r->next)
        if (fits(r->source, r->tag, source, tag)) {
            unlink_receive(c, r);
            return r;
        }
    return NULL;
}

bool is_awaited(const Context *c, int source, int tag)
{
    const Request *r = c->posted;
    while (r && !fits(r->source, r->tag, source, tag))
        r = r->next;
    return r != NULL;
}

Unexpected *find_unexpected(const Joined *j, int source, int tag, bool take)
{
    Context *c = j->context;
    Unexpected *before = NULL;
    for (Unexpected *u = c->unexpected; u; before = u, u = u->next) {
        if (!fits(source, tag, u->header.source, u->header.tag))
            continue;
        if (take) {
            if (before)
                before->next = u->next;
            else
                c->unexpected = u->next;
            if (c->newest == u)
                c->newest = before;
            u->next = NULL;
        }
        return u;
    }
    return NULL;
}

bool remove_posted(Request *r)
{
    Context *c = r->joined->context;
    const Request *one = c->posted;
    while (one && one != r)
        one = one->next;
    if (one)
        unlink_receive(c, r);
    return one != NULL;
}

void add_unexpected(Context *c, Unexpected *u)
{
    u->next = NULL;
    if (c->newest)
        c->newest->next = u;
    else
        c->unexpected = u;
    c->newest = u;
}
