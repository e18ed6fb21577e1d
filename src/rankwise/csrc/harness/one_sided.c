/* Passive-target windows, which came with MPI-3. */
#include "one_sided.h"
#include <stdlib.h>
#include <string.h>

MPI_Aint receive_offset(const Cell *c)
{
    return (MPI_Aint)(c->receive - c->pool);
}

char *exposed_block(const Cell *c)
{
    const OneSided *shared = c->state;
    return shared->memory + receive_offset(c);
}

#if MPI_VERSION >= 3
/* The library allocates: that is what gives it its fastest path. */
void open_one_sided(Cell *c)
{
    OneSided *shared = malloc(sizeof *shared);
    MPI_Win_allocate((MPI_Aint)c->pool_bytes, 1, MPI_INFO_NULL, c->comm, &shared->memory,
                     &shared->window);
    memset(shared->memory, 0, c->pool_bytes);
    MPI_Win_lock_all(MPI_MODE_NOCHECK, shared->window);
    c->state = shared;
}

void close_one_sided(Cell *c)
{
    OneSided *shared = c->state;
    MPI_Win_unlock_all(shared->window);
    MPI_Win_free(&shared->window);
    free(shared);
}

void sync_exposed(const Cell *c)
{
    const OneSided *shared = c->state;
    MPI_Win_sync(shared->window);
}
#else
void open_one_sided(Cell *c)
{
    fail_cell(c, "%s", LACKS_MPI3);
}

void close_one_sided(Cell *c)
{
    (void)c;
}

void sync_exposed(const Cell *c)
{
    (void)c;
}
#endif
