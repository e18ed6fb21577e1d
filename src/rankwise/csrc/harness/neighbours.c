/* A torus of two dimensions, or a ring in which each rank sends to those 1, 2, 4... places on, as
 * the dissemination of a barrier does. */
#include "neighbours.h"
#include "harness.h"
#include <stdlib.h>

static void fill_allgather(Cell *c)
{
    const Neighbours *near = c->state;
    fill_at(c, c->send, near->own, EVERY_RANK);
}

static void check_allgather(Cell *c)
{
    const Neighbours *near = c->state;
    for (int i = 0; i < c->neighbours; i++)
        expect_block(c, i, near->sources[i], EVERY_RANK);
}

static void fill_alltoall(Cell *c)
{
    const Neighbours *near = c->state;
    for (int i = 0; i < c->neighbours; i++)
        fill_block(c, i, near->destinations[i]);
}

static void check_alltoall(Cell *c)
{
    const Neighbours *near = c->state;
    for (int i = 0; i < c->neighbours; i++)
        expect_block(c, i, near->sources[i], c->rank);
}

const Data neighbour_allgather_data = {ONE_BLOCK, BLOCK_PER_NEIGHBOUR, fill_allgather,
                                       check_allgather};
const Data neighbour_alltoall_data = {BLOCK_PER_NEIGHBOUR, BLOCK_PER_NEIGHBOUR, fill_alltoall,
                                      check_alltoall};

#if MPI_VERSION >= 3
static void make_torus(const Cell *c, Neighbours *near)
{
    enum { DIMENSIONS = 2 };
    int sizes[DIMENSIONS] = {0}, periods[DIMENSIONS] = {1, 1};
    MPI_Dims_create(c->ranks, DIMENSIONS, sizes);
    MPI_Cart_create(c->comm, DIMENSIONS, sizes, periods, 0, &near->comm);
    for (int d = 0; d < DIMENSIONS; d++)
        MPI_Cart_shift(near->comm, d, 1, &near->sources[2 * d], &near->sources[2 * d + 1]);
    for (int i = 0; i < 2 * DIMENSIONS; i++)
        near->destinations[i] = near->sources[i];
}

/* Equal weights rather than MPI_UNWEIGHTED, of which MPICH's header makes gcc warn. */
static void make_ring(const Cell *c, Neighbours *near)
{
    int weights[MOST_NEIGHBOURS];
    for (int i = 0; i < c->neighbours; i++) {
        const int distance = (int)(1L << i);
        near->destinations[i] = (c->rank + distance) % c->ranks;
        near->sources[i] = (c->rank - distance + c->ranks) % c->ranks;
        weights[i] = 1;
    }
    MPI_Dist_graph_create_adjacent(c->comm, c->neighbours, near->sources, weights, c->neighbours,
                                   near->destinations, weights, MPI_INFO_NULL, 0, &near->comm);
}

/* Half the size and one and a half of it by turns, so that the mean is the size. */
static int share(const Cell *c, int index, int indices)
{
    if (index % 2)
        return 2 * c->count - c->count / 2;
    return index + 1 < indices ? c->count / 2 : c->count;
}

static void lay_out(Cell *c)
{
    Neighbours *near = c->state;
    for (int i = 0, start = 0; i < c->neighbours; start += c->counts[i++]) {
        c->displacements[i] = start;
        near->types[i] = c->type;
        near->byte_displacements[i] = (MPI_Aint)start * (MPI_Aint)c->element.extent;
    }
}

/* All ranks go on, or none: what follows takes all of them. */
void open_neighbours(Cell *c)
{
    Neighbours *near = cell_memory(c, sizeof *near);
    if (!all_ranks_well(c)) {
        free(near);
        return;
    }
    c->state = near;
    near->own = c->count;
    if (c->topology == CARTESIAN)
        make_torus(c, near);
    else
        make_ring(c, near);
    for (int i = 0; i < c->neighbours; i++)
        c->counts[i] = c->count;
    lay_out(c);
}

void open_unequal_gather(Cell *c)
{
    open_neighbours(c);
    Neighbours *near = c->state;
    if (!near)
        return;
    near->own = share(c, c->rank, c->ranks);
    for (int i = 0; i < c->neighbours; i++)
        c->counts[i] = share(c, near->sources[i], c->ranks);
    lay_out(c);
}

/* Both neighbours in one dimension of the torus exchange as much. */
void open_unequal_exchange(Cell *c)
{
    open_neighbours(c);
    if (!c->state)
        return;
    const int in_a_dimension = c->topology == CARTESIAN ? 2 : 1;
    for (int i = 0; i < c->neighbours; i++)
        c->counts[i] = share(c, i / in_a_dimension, c->neighbours / in_a_dimension);
    lay_out(c);
}

void close_neighbours(Cell *c)
{
    Neighbours *near = c->state;
    if (!near)
        return;
    MPI_Comm_free(&near->comm);
    free(near);
}
#else
void open_neighbours(Cell *c)
{
    fail_cell(c, "%s", NEEDS_MPI3);
}

void open_unequal_gather(Cell *c)
{
    open_neighbours(c);
}

void open_unequal_exchange(Cell *c)
{
    open_neighbours(c);
}

void close_neighbours(Cell *c)
{
    (void)c;
}
#endif
