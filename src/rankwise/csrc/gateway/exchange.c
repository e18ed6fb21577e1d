#include "exchange.h"
#include "batch.h"
#include "calls.h"
#include "collectives.h"
#include "topologies.h"

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

int exchange(Joined *j, Partners partners, const Side *out, const Side *in, MPI_Request *request)
{
    const Topology *t = j->topology;
    if (partners == NEIGHBOURS && !t)
        return fail(j, MPI_ERR_TOPOLOGY);
    const int tag = first_tag(joined_of(j->own));
    Batch *batch = new_batch(j->own, blocks_out(j, partners) + blocks_in(j, partners));
    if (!batch)
        return fail(j, MPI_ERR_NO_MEM);
    if (j->inter)
        with_others(batch, j, tag, out, in);
    else if (partners == NEIGHBOURS)
        with_neighbours(batch, t, tag, out, in);
    else
        with_all(batch, j, tag, out, in);
    return fail(j, end_batch(batch, j, COLLECTIVE, request));
}
