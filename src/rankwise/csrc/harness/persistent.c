/* Persistent operations: their requests are made once, and started again and again. */
#include "harness.h"

void free_prepared(Cell *c)
{
    for (int i = 0; i < c->prepared; i++)
        MPI_Request_free(&c->requests[i]);
    c->prepared = 0;
}

static bool has_root(const Kernel *kernel)
{
    return kernel->data == &broadcast_data || kernel->data == &scatter_data ||
           kernel->data == &gather_data || kernel->data == &reduce_data;
}

/* Not without need: that a request can be started again is part of what is verified. */
void renew_prepared(Cell *c)
{
    const bool same_root = c->prepared_root == c->root || !has_root(c->kernel);
    if (!c->kernel->prepare || !c->active ||
        (c->prepared && same_root && c->prepared_buffer == c->send))
        return;
    free_prepared(c);
    c->prepared = c->kernel->prepare(c);
    c->prepared_root = c->root;
    c->prepared_buffer = c->send;
}

/* The copy of a persistent request's handle means the same request. */
void start_prepared(Cell *c, MPI_Request *request)
{
    *request = c->requests[0];
    MPI_Start(request);
}

void complete_prepared(Cell *c, int request)
{
    MPI_Start(&c->requests[request]);
    MPI_Wait(&c->requests[request], MPI_STATUS_IGNORE);
}
