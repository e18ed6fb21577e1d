/* The data of --verify: what every rank writes, and what every rank must then have. */
#include "harness.h"
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum {
    POISON = 0xA5, /* what a receive buffer holds beforehand, and its gaps afterwards */
    LARGEST_EXTENT_BYTES = 64
};

char *block_at(const Cell *c, char *buffer, int block)
{
    const size_t first =
        c->kernel->unequal ? (size_t)c->displacements[block] : (size_t)block * (size_t)c->count;
    return buffer + first * c->element.extent;
}

void poison_receive(Cell *c)
{
    memset(c->receive, POISON, c->receive_bytes);
}

static int elements_in(const Cell *c, int block)
{
    return c->kernel->unequal ? c->counts[block] : c->count;
}

static uint32_t seed_of(const Cell *c, int source, int destination)
{
    uint32_t seed = (uint32_t)c->repetition + 1;
    seed = seed * 2654435761u + (uint32_t)source + 1;
    seed = seed * 2654435761u + (uint32_t)destination + 2;
    return seed * 2654435761u;
}

/* One element as it must be in memory: pattern bytes in its items, untouched gaps between them. */
static void draw_element(const Element *e, uint32_t seed, int index, unsigned char *image)
{
    uint32_t place = (uint32_t)index * (uint32_t)e->items * (uint32_t)e->item_bytes;
    memset(image, POISON, e->extent);
    for (int item = 0; item < e->items; item++) {
        for (size_t i = 0; i < e->item_bytes; i++) {
            const uint32_t mixed = (seed + place++) * 2246822519u;
            image[e->offsets[item] + i] = (unsigned char)((mixed ^ mixed >> 15) >> 8);
        }
    }
}

void fill_at(const Cell *c, char *target, int elements, int destination)
{
    const Element *e = &c->element;
    const uint32_t seed = seed_of(c, c->rank, destination);
    for (int i = 0; i < elements; i++)
        draw_element(e, seed, i, (unsigned char *)target + (size_t)i * e->extent);
}

void fill_block(Cell *c, int block, int destination)
{
    fill_at(c, block_at(c, c->send, block), elements_in(c, block), destination);
}

void report_wrong(Cell *c, const char *format, ...)
{
    va_list arguments;
    if (c->wrong_data)
        return; /* the first difference says most */
    c->wrong_data = true;
    const int used = snprintf(c->failure, sizeof c->failure,
                              "on rank %d in repetition %d: ", c->rank, c->repetition);
    va_start(arguments, format);
    vsnprintf(c->failure + used, sizeof c->failure - (size_t)used, format, arguments);
    va_end(arguments);
}

void expect_at(Cell *c, const char *block, int elements, int source, int destination)
{
    const Element *e = &c->element;
    const uint32_t seed = seed_of(c, source, destination);
    for (int i = 0; i < elements && !c->wrong_data; i++) {
        unsigned char wanted[LARGEST_EXTENT_BYTES];
        const unsigned char *found = (const unsigned char *)block + (size_t)i * e->extent;
        draw_element(e, seed, i, wanted);
        size_t k = 0;
        while (k < e->extent && found[k] == wanted[k])
            k++;
        if (k < e->extent)
            report_wrong(c, "byte %zu of %zu from rank %d is 0x%02x, not 0x%02x",
                         (size_t)i * e->extent + k, (size_t)elements * e->extent, source, found[k],
                         wanted[k]);
    }
}

void expect_block(Cell *c, int block, int source, int destination)
{
    expect_at(c, block_at(c, c->receive, block), elements_in(c, block), source, destination);
}

/* Reductions: small whole numbers, whose sums and products every type holds exactly. */
static double term_of(const Cell *c, int rank, int item)
{
    const int mixed = rank + item + c->repetition;
    if (c->op == MPI_PROD)
        return mixed % 16 == 0 ? 2 : 1; /* 2^(ranks / 16) at most */
    return mixed % 5 + 1;
}

static double combine(MPI_Op op, double a, double b)
{
    if (op == MPI_SUM)
        return a + b;
    if (op == MPI_PROD)
        return a * b;
    return (op == MPI_MAX) == (a > b) ? a : b;
}

static void write_item(const Element *e, char *target, double value)
{
    const int as_int = (int)value;
    const float as_float = (float)value;
    if (e->basic == MPI_INT)
        memcpy(target, &as_int, sizeof as_int);
    else if (e->basic == MPI_FLOAT)
        memcpy(target, &as_float, sizeof as_float);
    else
        memcpy(target, &value, sizeof value);
}

static double read_item(const Element *e, const char *source)
{
    int as_int;
    float as_float;
    double as_double;
    if (e->basic == MPI_INT) {
        memcpy(&as_int, source, sizeof as_int);
        return as_int;
    }
    if (e->basic == MPI_FLOAT) {
        memcpy(&as_float, source, sizeof as_float);
        return as_float;
    }
    memcpy(&as_double, source, sizeof as_double);
    return as_double;
}

void fill_terms(Cell *c)
{
    for (int item = 0; item < c->count; item++)
        write_item(&c->element, c->send + (size_t)item * c->element.extent,
                   term_of(c, c->rank, item));
}

void expect_reduction(Cell *c, int last_rank, int first_item, int items)
{
    for (int i = 0; i < items && !c->wrong_data; i++) {
        double wanted = term_of(c, 0, first_item + i);
        for (int rank = 1; rank <= last_rank; rank++)
            wanted = combine(c->op, wanted, term_of(c, rank, first_item + i));
        const double found = read_item(&c->element, c->receive + (size_t)i * c->element.extent);
        if (found != wanted)
            report_wrong(c, "item %d of %d is %g, not %g", i, items, found, wanted);
    }
}
