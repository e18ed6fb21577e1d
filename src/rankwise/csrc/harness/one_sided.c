/* Windows, what is exposed in them, and the ways to synchronise. */
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

MPI_Aint offset_of(const Cell *c, int block)
{
    return (MPI_Aint)(block_at(c, c->receive, block) - c->pool);
}

int *exposed_number(const Cell *c)
{
    return (int *)exposed_block(c); /* a page begins there */
}

static int messages(const Cell *c)
{
    return c->kernel->windowed ? c->window : 1;
}

static bool is_source(const Cell *c)
{
    return c->leads || (c->active && c->kernel->moves == 2);
}

static bool is_sink(const Cell *c)
{
    return c->active && (!c->leads || c->kernel->moves == 2);
}

static void fill_put(Cell *c)
{
    for (int i = 0; is_source(c) && i < messages(c); i++)
        fill_block(c, i, message_to(c, c->partner, i));
    memcpy(exposed_block(c), c->receive, c->receive_bytes + GUARD_BYTES);
    sync_exposed(c);
}

static void check_put(Cell *c)
{
    sync_exposed(c);
    for (int i = 0; is_sink(c) && i < messages(c); i++)
        expect_at(c, block_at(c, exposed_block(c), i), c->count, c->partner,
                  message_to(c, c->rank, i));
    expect_untouched(c, exposed_block(c), c->receive_bytes + GUARD_BYTES);
}

static void fill_get(Cell *c)
{
    for (int i = 0; is_sink(c) && i < messages(c); i++)
        fill_at(c, block_at(c, exposed_block(c), i), c->count, message_to(c, c->partner, i));
    sync_exposed(c);
}

static void check_get(Cell *c)
{
    sync_exposed(c);
    for (int i = 0; is_source(c) && i < messages(c); i++)
        expect_block(c, i, c->partner, message_to(c, c->rank, i));
    for (int i = 0; is_sink(c) && i < messages(c); i++) /* is read, and nothing else */
        expect_at(c, block_at(c, exposed_block(c), i), c->count, c->rank,
                  message_to(c, c->partner, i));
}

static void fill_accumulate(Cell *c)
{
    if (c->leads)
        fill_terms(c);
    else if (c->active)
        fill_terms_at(c, exposed_block(c), c->count);
    sync_exposed(c);
}

static void check_accumulate(Cell *c)
{
    sync_exposed(c);
    if (c->active && !c->leads)
        expect_terms_at(c, exposed_block(c), c->rank, c->partner);
}

static void check_get_accumulate(Cell *c)
{
    check_accumulate(c);
    if (c->leads)
        expect_terms_at(c, c->receive, c->partner, -1);
}

const Data accumulate_data = {ONE_BLOCK, ONE_BLOCK, fill_accumulate, check_accumulate};
const Data get_accumulate_data = {ONE_BLOCK, ONE_BLOCK, fill_accumulate, check_get_accumulate};
const Data put_data = {ONE_BLOCK, ONE_BLOCK, fill_put, check_put};
const Data get_data = {NO_BLOCK, ONE_BLOCK, fill_get, check_get};
const Data put_window_data = {BLOCK_PER_MESSAGE, BLOCK_PER_MESSAGE, fill_put, check_put};
const Data get_window_data = {NO_BLOCK, BLOCK_PER_MESSAGE, fill_get, check_get};

#if MPI_VERSION >= 3
/* The library allocates: that is what gives it its fastest path. Too little memory must not end the
 * job, as other errors do. */
static void allocate_window(Cell *c, OneSided *shared)
{
    MPI_Errhandler handler;
    MPI_Comm_get_errhandler(c->comm, &handler);
    MPI_Comm_split(c->comm, c->active ? 0 : MPI_UNDEFINED, c->rank, &shared->comm);
    if (c->active) {
        MPI_Comm_set_errhandler(shared->comm, MPI_ERRORS_RETURN);
        if (MPI_Win_allocate((MPI_Aint)c->pool_bytes, 1, MPI_INFO_NULL, shared->comm,
                             &shared->memory, &shared->window) != MPI_SUCCESS)
            fail_cell(c, "rank %d cannot allocate a window of %zu bytes", c->rank, c->pool_bytes);
        MPI_Comm_set_errhandler(shared->comm, handler);
    } else {
        shared->memory = cell_memory(c, c->pool_bytes);
    }
    MPI_Errhandler_free(&handler);
}

static bool is_locked_throughout(const Cell *c)
{
    return c->sync == FLUSH || c->sync == FLUSH_LOCAL;
}

static void meet_partner(const Cell *c, OneSided *shared)
{
    MPI_Group all;
    shared->target = c->kernel->pairing == ENDS ? c->leads : c->partner;
    MPI_Comm_group(shared->comm, &all);
    MPI_Group_incl(all, 1, &shared->target, &shared->partner);
    MPI_Group_free(&all);
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
    c->state = shared;
    if (!c->active)
        return;
    memset(shared->memory, 0, c->pool_bytes);
    meet_partner(c, shared);
    if (is_locked_throughout(c))
        MPI_Win_lock_all(MPI_MODE_NOCHECK, shared->window);
}

void close_one_sided(Cell *c)
{
    OneSided *shared = c->state;
    if (shared && c->active) {
        if (is_locked_throughout(c))
            MPI_Win_unlock_all(shared->window);
        MPI_Win_free(&shared->window);
        MPI_Group_free(&shared->partner);
        MPI_Comm_free(&shared->comm);
    } else if (shared) {
        free(shared->memory);
    }
    free(shared);
}

/* Fences and the like do it themselves. */
void sync_exposed(const Cell *c)
{
    const OneSided *shared = c->state;
    if (!c->active)
        return;
    if (is_locked_throughout(c)) {
        MPI_Win_sync(shared->window);
    } else if (c->sync == LOCK) {
        int self;
        MPI_Comm_rank(shared->comm, &self);
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, self, 0, shared->window);
        MPI_Win_unlock(self, shared->window);
    }
}

bool begin_access(const Cell *c, bool accesses, bool exposes)
{
    const OneSided *shared = c->state;
    if (c->sync == FENCE)
        MPI_Win_fence(0, shared->window);
    if (c->sync == POST_START && exposes)
        MPI_Win_post(shared->partner, 0, shared->window);
    if (c->sync == POST_START && accesses)
        MPI_Win_start(shared->partner, 0, shared->window);
    if (c->sync == LOCK && accesses)
        MPI_Win_lock(MPI_LOCK_SHARED, shared->target, 0, shared->window);
    return accesses;
}

/* Where data are checked, they have to be at the target too. */
void end_access(const Cell *c, bool accesses, bool exposes)
{
    const OneSided *shared = c->state;
    if (c->sync == FENCE)
        MPI_Win_fence(0, shared->window);
    if (c->sync == POST_START && accesses)
        MPI_Win_complete(shared->window);
    if (c->sync == POST_START && exposes)
        MPI_Win_wait(shared->window);
    if (c->sync == LOCK && accesses)
        MPI_Win_unlock(shared->target, shared->window);
    if (c->sync == FLUSH_LOCAL && accesses)
        MPI_Win_flush_local(shared->target, shared->window);
    if (accesses && (c->sync == FLUSH || (c->sync == FLUSH_LOCAL && c->verifies)))
        MPI_Win_flush(shared->target, shared->window);
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

bool begin_access(const Cell *c, bool accesses, bool exposes)
{
    (void)c;
    return accesses && exposes;
}

void end_access(const Cell *c, bool accesses, bool exposes)
{
    (void)c;
    (void)accesses;
    (void)exposes;
}
#endif
