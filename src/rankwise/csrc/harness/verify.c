/* --verify: a few repetitions, each with other data, whose results every rank checks. */
#include "harness.h"

static void verify_once(Cell *c)
{
    const Data *data = c->kernel->data;
    poison_receive(c);
    if (data)
        data->fill(c);
    wait_for_all(c->job);
    if (c->active)
        run_of(c->kernel)(c);
    wait_for_all(c->job);
    if (data)
        data->check(c);
}

/* True if all ranks found what they must; else c->failure says what, on every rank. */
bool verify_cell(Cell *c, const Options *options)
{
    for (int repetition = 0; repetition < VERIFY_REPETITIONS; repetition++) {
        set_repetition(c, options, repetition);
        next_buffers(c);
        verify_once(c);
        if (!all_ranks_well(c))
            return false;
    }
    return true;
}
