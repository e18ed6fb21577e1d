#include "exchange.h"
#include "../interpose/held.h"
#include "batch.h"
#include "calls.h"
#include "collectives.h"
#include "topology.h"
#include <stdlib.h>

int blocks_out(const Joined *j, Partners partners)
{
    return partners == ALL_RANKS ? j->remote_size : j->topology ? j->topology->out : 0;
}

int blocks_in(const Joined *j, Partners partners)
{
    return partners == ALL_RANKS ? j->remote_size : j->topology ? j->topology->in : 0;
}

Block block_of(const Side *side, int i)
{
    MPI_Aint lower, extent = 1;
    Block b = {side->buffer, side->counts.array ? number(side->counts, i) : side->count,
               side->types ? side->types[i] : side->type};
    if (!side->types)
        below.Type_get_extent(b.type, &lower, &extent);
    if (side->starts.array)
        b.start += number(side->starts, i) * extent;
    else if (!side->same)
        b.start += i * b.count * extent;
    return b;
}

/* Every rank, itself too; each begins with itself, so that not all send to the same one. */
static void with_all(Batch *batch, const Joined *j, int tag, const Side *out, const Side *in)
{
    const bool in_place = out->buffer == MPI_IN_PLACE;
    for (int i = 0; i < j->size; i++) {
        const int from = (j->rank + i) % j->size;
        const Block b = block_of(in, from);
        if (in_place && from != j->rank)
            batch_send_copy(batch, b.start, b.count, b.type, from, tag);
        if (!in_place || from != j->rank)
            batch_receive(batch, b.start, b.count, b.type, from, tag);
    }
    for (int i = 0; i < j->size && !in_place; i++) {
        const int to = (j->rank + i) % j->size;
        const Block b = block_of(out, to);
        batch_send(batch, b.start, b.count, b.type, to, tag);
    }
}

/* Every rank of the other group, as ranks of all. */
static void with_others(Batch *batch, const Joined *j, int tag, const Side *out, const Side *in)
{
    const int first = j->first ? j->size : 0;
    for (int i = 0; i < j->remote_size && in; i++) {
        const Block b = block_of(in, i);
        batch_receive(batch, b.start, b.count, b.type, first + i, tag);
    }
    for (int i = 0; i < j->remote_size && out; i++) {
        const int to = (j->rank + i) % j->remote_size; /* so that not all send to the same one */
        const Block b = block_of(out, to);
        batch_send(batch, b.start, b.count, b.type, first + to, tag);
    }
}

/* In a grid, what goes to one side comes from the other one, even where the same rank is on both:
 * the tag says which. */
static void with_neighbours(Batch *batch, const Topology *t, int tag, const Side *out,
                            const Side *in)
{
    const bool grid = t->kind == MPI_CART;
    for (int i = 0; i < t->in; i++) {
        const Block b = block_of(in, i);
        batch_receive(batch, b.start, b.count, b.type, t->sources[i], tag + (grid ? i : 0));
    }
    for (int i = 0; i < t->out; i++) {
        const Block b = block_of(out, i);
        batch_send(batch, b.start, b.count, b.type, t->destinations[i], tag + (grid ? i ^ 1 : 0));
    }
}

static void with_one(Batch *batch, int rank, int tag, const Side *out, const Side *in)
{
    if (in)
        batch_receive(batch, in->buffer, in->count, in->type, rank, tag);
    if (out)
        batch_send(batch, out->buffer, out->count, out->type, rank, tag);
}

/* One that has been called, and, as long as its tags are another call's, not begun. */
typedef struct {
    Joined *joined;
    Partners partners;
    int rank; /* the only partner; ALL: there are more */
    bool goes_out, comes_in, begun;
    Side out, in;
    bool holds_types;
} Exchange;
enum { ALL = -1 };

static void begin_messages(const Exchange *e, Batch *batch)
{
    const Joined *j = e->joined;
    const int tag = first_tag(tags_of(batch));
    const Side *out = e->goes_out ? &e->out : NULL, *in = e->comes_in ? &e->in : NULL;
    if (e->rank != ALL)
        with_one(batch, e->rank, tag, out, in);
    else if (j->inter)
        with_others(batch, j, tag, out, in);
    else if (e->partners == NEIGHBOURS)
        with_neighbours(batch, j->topology, tag, out, in);
    else
        with_all(batch, j, tag, out, in);
}

/* The program may free them before it begins. */
static int for_each_type(const Side *side, int blocks, int (*hold)(MPI_Datatype))
{
    int code = MPI_SUCCESS;
    if (!side->types)
        return hold(side->type);
    for (int i = 0; i < blocks && code == MPI_SUCCESS; i++)
        code = hold(side->types[i]);
    return code;
}

static int release(MPI_Datatype type)
{
    release_type(type);
    return MPI_SUCCESS;
}

static int for_all_types(const Exchange *e, int (*hold)(MPI_Datatype))
{
    int code = MPI_SUCCESS;
    if (e->goes_out && e->out.buffer != MPI_IN_PLACE)
        code = for_each_type(&e->out, blocks_out(e->joined, e->partners), hold);
    if (e->comes_in && code == MPI_SUCCESS)
        code = for_each_type(&e->in, blocks_in(e->joined, e->partners), hold);
    return code;
}

static bool go_on(Batch *batch, void *work)
{
    Exchange *e = work;
    const bool begins = !e->begun && batch_code(batch) == MPI_SUCCESS;
    e->begun = true;
    if (begins) {
        begin_messages(e, batch);
        return true;
    }
    if (e->holds_types)
        for_all_types(e, release);
    free(e);
    return false;
}

static int carry_out(const Exchange *what, MPI_Request *request, CallTags *tags)
{
    Joined *j = what->joined;
    const int most = blocks_out(j, what->partners) + blocks_in(j, what->partners);
    Batch *batch = new_call(j, what->rank == ALL ? most : 1, tags);
    Exchange *e = batch ? malloc(sizeof *e) : NULL;
    if (!batch)
        return fail(j, MPI_ERR_NO_MEM);
    if (e) {
        *e = *what;
        if (tags_of(batch)->waits) {
            batch_fails(batch, for_all_types(e, hold_type));
            e->holds_types = batch_code(batch) == MPI_SUCCESS;
        }
        begin_stages(batch, go_on, e);
    } else {
        batch_fails(batch, MPI_ERR_NO_MEM);
    }
    return fail(j, end_batch(batch, j, &operations, request));
}

int exchange(Joined *j, Partners partners, const Side *out, const Side *in, MPI_Request *request,
             CallTags *tags)
{
    if (partners == NEIGHBOURS && !j->topology)
        return fail(j, MPI_ERR_TOPOLOGY);
    const Exchange e = {.joined = j,
                        .partners = partners,
                        .rank = ALL,
                        .goes_out = out != NULL,
                        .comes_in = in != NULL,
                        .out = out ? *out : (Side){0},
                        .in = in ? *in : (Side){0}};
    return carry_out(&e, request, tags);
}

int exchange_with(Joined *j, int rank, const Side *out, const Side *in, MPI_Request *request,
                  CallTags *tags)
{
    const Exchange e = {.joined = j,
                        .partners = ALL_RANKS,
                        .rank = rank,
                        .goes_out = out != NULL,
                        .comes_in = in != NULL,
                        .out = out ? *out : (Side){0},
                        .in = in ? *in : (Side){0}};
    return carry_out(&e, request, tags);
}
