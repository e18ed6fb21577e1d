#include "request.h"
#include "../interpose/held.h"

_Static_assert(sizeof(Request) <= SLOT_BYTES, "a request fits its slot");

long outstanding;

Request *new_request(const RequestKind *kind, Joined *joined)
{
    Request *r = take_slot(REQUEST_SLOT);
    if (!r)
        return NULL;
    r->kind = kind;
    r->joined = joined;
    r->native = MPI_REQUEST_NULL;
    joined->uses++;
    outstanding++;
    return r;
}

void free_request(Request *r)
{
    if (r->holds_type)
        release_type(r->type);
    release_joined(r->joined);
    give_slot(r);
}

void end_request(Request *r, int code)
{
    r->code = code;
    r->done = true;
    if (!r->passed)
        outstanding--;
    if (r->forgotten)
        free_request(r);
}
