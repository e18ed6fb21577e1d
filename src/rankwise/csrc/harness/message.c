/* What a message is made of: elements of a datatype, blocks of elements, buffers of blocks. */
#define _GNU_SOURCE
#include "harness.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { ITEMS = 4 }; /* of a derived element */
static const size_t PAGE_BYTES = 4096, WINDOW_BYTES = (size_t)64 << 20;
static const double MEMORY_SHARE = 0.5; /* of what is free, over all ranks of a machine */

static void choose_basic(Element *e, const char *datatype, bool reduces)
{
    if (reduces && strcmp(datatype, "byte") == 0)
        datatype = "float"; /* a byte has no arithmetic; IMB and OSU reduce floats too */
    e->datatype = datatype;
    e->basic = strcmp(datatype, "byte") == 0    ? MPI_BYTE
               : strcmp(datatype, "int") == 0   ? MPI_INT
               : strcmp(datatype, "float") == 0 ? MPI_FLOAT
                                                : MPI_DOUBLE;
    e->item_bytes = strcmp(datatype, "byte") == 0     ? 1
                    : strcmp(datatype, "double") == 0 ? sizeof(double)
                                                      : sizeof(int);
}

/* Derived elements have ITEMS items, in these places of `extent` (counted in items):
 *     vector   x . x . x . x .      blocks of one at an even distance
 *     indexed  x . x x x .          blocks of unequal length
 *     struct   x . x x x .          one item, and three as bytes */
static void derive(Element *e, const char *layout)
{
    const size_t item = e->item_bytes;
    const bool vector = strcmp(layout, "vector") == 0;
    int lengths[2] = {1, 3}, places[2] = {0, 2};
    int struct_lengths[2] = {1, 3 * (int)item};
    MPI_Aint struct_places[2] = {0, 2 * (MPI_Aint)item};
    MPI_Datatype struct_types[2] = {e->basic, MPI_BYTE};
    MPI_Datatype bare;

    if (vector)
        MPI_Type_vector(ITEMS, 1, 2, e->basic, &bare);
    else if (strcmp(layout, "indexed") == 0)
        MPI_Type_indexed(2, lengths, places, e->basic, &bare);
    else
        MPI_Type_create_struct(2, struct_lengths, struct_places, struct_types, &bare);
    for (size_t i = 0; i < ITEMS; i++)
        e->offsets[i] = item * (vector ? 2 * i : i + (i > 0));
    e->items = ITEMS;
    e->extent = item * (vector ? 2 * ITEMS : ITEMS + 2);
    MPI_Type_create_resized(bare, 0, (MPI_Aint)e->extent, &e->type);
    MPI_Type_commit(&e->type);
    MPI_Type_free(&bare);
}

static MPI_Op choose_op(const char *name)
{
    return strcmp(name, "sum") == 0   ? MPI_SUM
           : strcmp(name, "max") == 0 ? MPI_MAX
           : strcmp(name, "min") == 0 ? MPI_MIN
                                      : MPI_PROD;
}

static void make_element(Cell *c, const Options *options)
{
    Element *e = &c->element;
    choose_basic(e, options->datatype, c->kernel->reduces);
    e->type = e->basic;
    e->items = 1;
    e->extent = e->item_bytes;
    if (strcmp(options->layout, "contiguous") != 0)
        derive(e, options->layout);
    c->type = e->type;
    c->op = choose_op(options->reduction);
}

/* Unequal blocks rise linearly: block r starts at element count * r^2 / ranks, so that block r has
 * about count * (2r + 1) / ranks elements and their mean is `count` exactly. */
static void lay_out_blocks(Cell *c)
{
    const long long count = c->count, ranks = c->ranks;
    for (long long r = 0; r < ranks; r++) {
        const long long start = c->kernel->unequal ? count * r * r / ranks : count * r;
        const long long end =
            c->kernel->unequal ? count * (r + 1) * (r + 1) / ranks : count * (r + 1);
        c->displacements[r] = (int)start;
        c->counts[r] = (int)(end - start);
    }
}

static size_t blocks_in(const Cell *c, Blocks blocks)
{
    switch (blocks) {
    case NO_BLOCK:
        return 0;
    case ONE_BLOCK:
        return c->kernel->unequal ? 2 : 1; /* the largest has nearly twice the mean */
    case TWO_BLOCKS:
        return 2;
    case BLOCK_PER_RANK:
        return (size_t)c->ranks;
    case BLOCK_PER_MESSAGE:
        return (size_t)c->window;
    case BLOCK_PER_NEIGHBOUR:
        return (size_t)c->neighbours * (c->kernel->unequal ? 2 : 1);
    case BLOCK_PER_THREAD:
        return (size_t)c->threads;
    }
    return 0;
}

static int window_of(const Cell *c, int asked)
{
    const size_t most = WINDOW_BYTES / (c->payload_bytes ? c->payload_bytes : 1);
    const int window = most < 1 ? 1 : most < (size_t)asked ? (int)most : asked;
    const int others = c->ranks - 1;
    if (!c->kernel->fans)
        return window;
    return window < others ? others : window / others * others;
}

/* Two in each dimension of a torus, or those at distances of 1, 2, 4... in a ring. */
static int neighbours_of(const Cell *c)
{
    int count = 0;
    if (c->topology == CARTESIAN)
        return 4;
    while (1L << count < c->ranks)
        count++;
    return count;
}

/* With the guard behind; never 0, so that no buffer is NULL. */
static size_t round_to_page(size_t bytes)
{
    return (bytes + GUARD_BYTES + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
}

static int most_blocks(const Cell *c)
{
    return c->ranks > 2 * c->neighbours ? c->ranks : 2 * c->neighbours;
}

/* The same on every rank: all go on, or none. */
static bool size_message(Cell *c, const Options *options)
{
    const size_t unit = c->element.item_bytes * (size_t)c->element.items;
    const size_t count = c->size_bytes / unit + (c->size_bytes % unit > 0);
    c->neighbours = c->kernel->category == NEIGHBOURHOOD ? neighbours_of(c) : 0;
    const size_t blocks = c->kernel->unequal ? (size_t)most_blocks(c) : 1;
    if (count > (size_t)INT_MAX / blocks) {
        fail_cell(c, "%zu elements of %zu bytes in %zu blocks are more than MPI's int counts hold",
                  count, unit, blocks);
        return false;
    }
    c->count = (int)count;
    c->payload_bytes = count * unit;
    c->window = window_of(c, options->window);
    const Data *data = c->kernel->data;
    const size_t block_bytes = count * c->element.extent;
    const bool one_for_all = data && data->send == BLOCK_PER_MESSAGE && !c->verifies;
    c->send_bytes = data ? block_bytes * blocks_in(c, one_for_all ? ONE_BLOCK : data->send) : 0;
    c->receive_bytes = data ? block_bytes * blocks_in(c, data->receive) : 0;
    if (c->kernel->scratch)
        c->scratch_bytes = round_to_page(block_bytes * blocks_in(c, c->kernel->scratch));
    const size_t region =
        round_to_page(c->send_bytes) + round_to_page(c->receive_bytes) + c->scratch_bytes;
    double regions = options->cold_cache ? 2 + (int)(2 * cache_bytes() / region) : 1;
    agree_on_maximum(c->job, &regions, 1); /* the hosts' caches may differ */
    c->regions = (int)regions;
    c->pool_bytes = region * (size_t)c->regions;
    return true;
}

static bool enough_memory(Cell *c)
{
    const int pools = c->kernel->category == ONE_SIDED ? 2 : 1; /* the window is as large */
    const double needed = (double)c->pool_bytes * pools * ranks_on_machine(c->job);
    const double free_bytes = available_memory_bytes();
    if (free_bytes == 0 || needed <= free_bytes * MEMORY_SHARE)
        return true;
    fail_cell(c,
              "the buffers of the %d ranks on this machine need %.0f MiB, more than %.0f %% of the "
              "%.0f MiB that are free",
              ranks_on_machine(c->job), needed / (1 << 20), 100 * MEMORY_SHARE,
              free_bytes / (1 << 20));
    return false;
}

/* Not from malloc, which some libraries replace: all must be given the same kind of memory. */
static char *map_pool(size_t bytes)
{
    void *pool = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return pool == MAP_FAILED ? NULL : pool;
}

void make_message(Cell *c, const Options *options)
{
    make_element(c, options);
    if (!size_message(c, options) || !enough_memory(c))
        return;
    c->counts = cell_memory(c, (size_t)most_blocks(c) * sizeof *c->counts);
    c->displacements = cell_memory(c, (size_t)most_blocks(c) * sizeof *c->displacements);
    c->requests = cell_memory(c, 2 * (size_t)c->window * sizeof *c->requests);
    c->pool = map_pool(c->pool_bytes);
    if (!c->pool)
        fail_cell(c, "rank %d cannot allocate %zu bytes for its buffers", c->rank, c->pool_bytes);
    if (!c->failure[0])
        lay_out_blocks(c);
}

void free_message(Cell *c)
{
    if (c->element.type != c->element.basic)
        MPI_Type_free(&c->element.type);
    free(c->counts);
    free(c->displacements);
    free(c->requests);
    if (c->pool)
        munmap(c->pool, c->pool_bytes);
}

void next_buffers(Cell *c)
{
    const size_t region_bytes = c->pool_bytes / (size_t)c->regions;
    c->region = c->send && c->region + 1 < c->regions ? c->region + 1 : 0;
    c->send = c->pool + region_bytes * (size_t)c->region;
    c->receive = c->send + round_to_page(c->send_bytes);
    c->scratch = c->receive + round_to_page(c->receive_bytes);
}

int send_window(Cell *c, int first)
{
    for (int i = 0; i < c->window; i++)
        MPI_Isend(block_at(c, c->send, c->verifies ? i : 0), c->count, c->type, c->partner, TAG,
                  c->comm, &c->requests[first + i]);
    return c->window;
}

int receive_window(Cell *c, int first)
{
    for (int i = 0; i < c->window; i++)
        MPI_Irecv(block_at(c, c->receive, i), c->count, c->type, c->partner, TAG, c->comm,
                  &c->requests[first + i]);
    return c->window;
}

int send_init_window(Cell *c, int first)
{
    for (int i = 0; i < c->window; i++)
        MPI_Send_init(block_at(c, c->send, c->verifies ? i : 0), c->count, c->type, c->partner, TAG,
                      c->comm, &c->requests[first + i]);
    return c->window;
}

int receive_init_window(Cell *c, int first)
{
    for (int i = 0; i < c->window; i++)
        MPI_Recv_init(block_at(c, c->receive, i), c->count, c->type, c->partner, TAG, c->comm,
                      &c->requests[first + i]);
    return c->window;
}

/* MPICH 4.0 declares the array of statuses in a way that makes gcc warn of MPI_STATUSES_IGNORE. */
#pragma GCC diagnostic ignored "-Wstringop-overflow"
void finish(Cell *c, int count)
{
    MPI_Waitall(count, c->requests, MPI_STATUSES_IGNORE);
}

void acknowledged_window(Cell *c)
{
    if (c->leads) {
        finish(c, send_window(c, 0));
        MPI_Recv(NULL, 0, MPI_BYTE, c->partner, TAG, c->comm, MPI_STATUS_IGNORE);
    } else {
        finish(c, receive_window(c, 0));
        MPI_Send(NULL, 0, MPI_BYTE, c->partner, TAG, c->comm);
    }
}

void receive_from_partner(Cell *c)
{
    MPI_Recv(c->receive, c->count, c->type, c->partner, TAG, c->comm, MPI_STATUS_IGNORE);
}

void pass_back_and_forth(Cell *c, void (*send)(Cell *c), void (*receive)(Cell *c))
{
    if (c->leads)
        send(c);
    receive(c);
    if (!c->leads)
        send(c);
}
