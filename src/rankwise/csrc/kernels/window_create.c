#include "kernel.h"

#if MPI_VERSION >= 3
static void run(Cell *c)
{
    MPI_Win window;
    MPI_Win_create(c->receive, (MPI_Aint)c->receive_bytes, 1, MPI_INFO_NULL, c->comm, &window);
    MPI_Win_free(&window);
}

static void fill(Cell *c)
{
    (void)c;
}

/* Every rank puts a block into the window of the next one. */
static void check(Cell *c)
{
    MPI_Win window;
    const int next = (c->rank + 1) % c->ranks, before = (c->rank + c->ranks - 1) % c->ranks;
    fill_at(c, c->scratch, c->count, next);
    MPI_Win_create(c->receive, (MPI_Aint)c->receive_bytes, 1, MPI_INFO_NULL, c->comm, &window);
    MPI_Win_fence(0, window);
    MPI_Put(c->scratch, c->count, c->type, next, 0, c->count, c->type, window);
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
    expect_block(c, 0, before, c->rank);
}

static const Data data = {NO_BLOCK, ONE_BLOCK, fill, check};
#endif

KERNEL(window_create) = {
    .category = START_UP,
    .description = "memory of the size is made a window, and the window freed",
    .data = MPI3_ONLY(&data),
    .scratch = ONE_BLOCK,
    .run = MPI3_ONLY(run),
    .whole = true,
    .unsupported = NEEDS_MPI3,
};
