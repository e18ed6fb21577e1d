/* Cells that cannot go on: what fails on one rank fails on all, for the same reason. */
#include "harness.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void fail_cell(Cell *c, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(c->failure, sizeof c->failure, format, arguments);
    va_end(arguments);
}

void refuse_cell(Cell *c, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(c->failure, sizeof c->failure, format, arguments);
    va_end(arguments);
    c->refused = true;
}

void *cell_memory(Cell *c, size_t bytes)
{
    void *memory = calloc(bytes ? bytes : 1, 1);
    if (!memory)
        fail_cell(c, "rank %d cannot allocate %zu bytes", c->rank, bytes);
    return memory;
}

/* Needs no memory, so that the lack of it can be told. The first failing rank has the maximum. */
bool all_ranks_well_at(Cell *c, double *most)
{
    const int ranks = c->job->ranks;
    double agreed[2] = {c->failure[0] ? ranks - c->job->rank : 0, *most};
    agree_on_maximum(c->job, agreed, 2);
    *most = agreed[1];
    if (agreed[0] == 0)
        return true;
    const int rank = ranks - (int)agreed[0];
    restore_variables(c->job);
    MPI_Bcast(c->failure, sizeof c->failure, MPI_BYTE, rank, c->job->comm);
    MPI_Bcast(&c->wrong_data, sizeof c->wrong_data, MPI_BYTE, rank, c->job->comm);
    MPI_Bcast(&c->refused, sizeof c->refused, MPI_BYTE, rank, c->job->comm);
    return false;
}

bool all_ranks_well(Cell *c)
{
    double nothing = 0;
    return all_ranks_well_at(c, &nothing);
}
