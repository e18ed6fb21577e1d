#include "one_sided.h"

enum { OPERAND = 3 };

static int number_of(const Cell *c)
{
    return 1000 + c->repetition;
}

static void fill(Cell *c)
{
    OneSided *shared = c->state;
    shared->operand = OPERAND;
    shared->comparand = number_of(c);
    shared->result = 0;
    *exposed_number(c) = number_of(c);
    sync_exposed(c);
}

static void check(Cell *c)
{
    const OneSided *shared = c->state;
    sync_exposed(c);
    if (c->leads && shared->result != number_of(c))
        report_wrong(c, "got %d, not %d", shared->result, number_of(c));
    if (c->active && !c->leads && *exposed_number(c) != number_of(c) + OPERAND)
        report_wrong(c, "the number became %d, not %d", *exposed_number(c), number_of(c) + OPERAND);
}

static const Data data = {NO_BLOCK, NO_BLOCK, fill, check};

#if MPI_VERSION >= 3
static void run(Cell *c)
{
    OneSided *shared = c->state;
    if (begin_access(c, c->leads, !c->leads))
        MPI_Fetch_and_op(&shared->operand, &shared->result, MPI_INT, shared->target,
                         receive_offset(c), MPI_SUM, shared->window);
    end_access(c, c->leads, !c->leads);
}
#endif

KERNEL(fetch_and_op) = {
    .category = ONE_SIDED,
    .description = "the first rank adds to a number in the last rank's memory and gets what it was",
    .data = &data,
    .run = MPI3_ONLY(run),
    .setup = open_one_sided,
    .teardown = close_one_sided,
    .pairing = ENDS,
    .timing = BY_FIRST_RANK,
    .batched = true,
    .min_ranks = 2,
    .unsized = true,
    .whole = true,
    .unsupported = NEEDS_MPI3,
};
