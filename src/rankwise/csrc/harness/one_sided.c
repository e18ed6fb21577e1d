/* Passive-target windows, which came with MPI-3. */
#include "one_sided.h"
#include "harness.h"
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
/* The library allocates: that is what gives it its fastest path. Too little memory must not end the
 * job, as other errors do. */
static void allocate_window(Cell *c, OneSided *shared)
{
    MPI_Errhandler handler;
    MPI_Comm_get_errhandler(c->comm, &handler);
    MPI_Comm_set_errhandler(c->comm, MPI_ERRORS_RETURN);
    if (MPI_Win_allocate((MPI_Aint)c->pool_bytes, 1, MPI_INFO_NULL, c->comm, &shared->memory,
                         &shared->window) != MPI_SUCCESS)
        fail_cell(c, "rank %d cannot allocate a window of %zu bytes", c->rank, c->pool_bytes);
    MPI_Comm_set_errhandler(c->comm, handler);
    MPI_Errhandler_free(&handler);
}

/* All ranks go on, or none: what follows takes all of them. So does freeing the window, which hence
 * is lost where another rank has got none. */
void open_one_sided(Cell *c)
{
    OneSided *shared = cell_memory(c, sizeof *shared);
    bool well = all_ranks_well(c);
    if (well) {
        allocate_window(c, shared);
        well = all_ranks_well(c);
    }
    if (!well) {
        free(shared);
        return;
    }
    memset(shared->memory, 0, c->pool_bytes);
    MPI_Win_lock_all(MPI_MODE_NOCHECK, shared->window);
    c->state = shared;
}

void close_one_sided(Cell *c)
{
    OneSided *shared = c->state;
    if (!shared)
        return;
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
    fail_cell(c, "%s", NEEDS_MPI3);
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
