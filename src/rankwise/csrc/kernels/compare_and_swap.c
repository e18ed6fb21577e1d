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
    if (c->active && !c->leads && *exposed_number(c) != OPERAND)
        report_wrong(c, "the number became %d, not %d", *exposed_number(c), (int)OPERAND);
}

static const Data data = {NO_BLOCK, NO_BLOCK, fill, check};

#if MPI_VERSION >= 3
static void run(Cell *c)
{
    OneSided *shared = c->state;
    if (begin_access(c, c->leads, !c->leads))
        MPI_Compare_and_swap(&shared->operand, &shared->comparand, &shared->result, MPI_INT,
                             shared->target, receive_offset(c), shared->window);
    end_access(c, c->leads, !c->leads);
}
#endif

KERNEL(compare_and_swap) = {
    .category = ONE_SIDED,
    .description =
        "the first rank exchanges a number in the last rank's memory if it is what it expects",
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
