/* The data of --verify: what every rank writes, and what every rank must then have. */
#include "harness.h"
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum {
    POISON = 0xA5,      /* what a receive buffer holds beforehand, and its gaps afterwards */
    CHUNK_BYTES = 1024, /* compared at once; more than any element */
};

char *block_at(const Cell *c, char *buffer, int block)
{
    const size_t first =
        c->kernel->unequal ? (size_t)c->displacements[block] : (size_t)block * (size_t)c->count;
    return buffer + first * c->element.extent;
}

int message_to(const Cell *c, int destination, int message)
{
    return destination + message * c->ranks;
}

void poison_buffers(Cell *c)
{
    memset(c->send, POISON, c->send_bytes + GUARD_BYTES);
    memset(c->receive, POISON, c->receive_bytes + GUARD_BYTES);
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

static uint32_t word_of(uint32_t seed, uint32_t index)
{
    const uint32_t mixed = (seed + index) * 2246822519u;
    return (mixed ^ mixed >> 15) * 3266489917u;
}

/* The pattern's bytes from `place` on. */
static void draw_bytes(uint32_t seed, size_t place, size_t bytes, unsigned char *image)
{
    while (bytes) {
        const uint32_t word = word_of(seed, (uint32_t)(place / sizeof word));
        const size_t first = place % sizeof word;
        const size_t some = bytes < sizeof word - first ? bytes : sizeof word - first;
        memcpy(image, (const unsigned char *)&word + first, some);
        image += some;
        place += some;
        bytes -= some;
    }
}

/* Elements as they must be in memory: pattern bytes in their items, untouched gaps between them. */
static void draw(const Element *e, uint32_t seed, size_t first, size_t elements,
                 unsigned char *image)
{
    const size_t own_bytes = (size_t)e->items * e->item_bytes;
    if (own_bytes == e->extent) {
        draw_bytes(seed, first * own_bytes, elements * own_bytes, image);
        return;
    }
    memset(image, POISON, elements * e->extent);
    for (size_t i = 0; i < elements; i++) {
        for (int item = 0; item < e->items; item++)
            draw_bytes(seed, (first + i) * own_bytes + (size_t)item * e->item_bytes, e->item_bytes,
                       image + i * e->extent + e->offsets[item]);
    }
}

void fill_at(const Cell *c, char *target, int elements, int destination)
{
    draw(&c->element, seed_of(c, c->rank, destination), 0, (size_t)elements,
         (unsigned char *)target);
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

void expect_untouched(Cell *c, const char *memory, size_t bytes)
{
    size_t i = 0;
    if (!bytes || ((unsigned char)memory[0] == POISON && !memcmp(memory, memory + 1, bytes - 1)))
        return;
    while ((unsigned char)memory[i] == POISON)
        i++;
    report_wrong(c, "0x%02x was written to byte %zu of %zu where nothing is to be received",
                 (unsigned char)memory[i], i, bytes);
}

/* `place` is where `found` begins in a block of `block_bytes`. */
static void compare(Cell *c, const unsigned char *found, const unsigned char *wanted, size_t bytes,
                    size_t place, size_t block_bytes, int source)
{
    size_t k = 0;
    if (memcmp(found, wanted, bytes) == 0)
        return;
    while (found[k] == wanted[k])
        k++;
    report_wrong(c, "byte %zu of %zu from rank %d is 0x%02x, not 0x%02x", place + k, block_bytes,
                 source, found[k], wanted[k]);
}

void expect_at(Cell *c, char *block, int elements, int source, int destination)
{
    const Element *e = &c->element;
    const uint32_t seed = seed_of(c, source, destination);
    const size_t count = (size_t)elements, step = CHUNK_BYTES / e->extent;
    for (size_t first = 0; first < count && !c->wrong_data; first += step) {
        unsigned char wanted[CHUNK_BYTES];
        const size_t some = count - first < step ? count - first : step;
        char *found = block + first * e->extent;
        draw(e, seed, first, some, wanted);
        compare(c, (unsigned char *)found, wanted, some * e->extent, first * e->extent,
                count * e->extent, source);
        memset(found, POISON, some * e->extent);
    }
}

void expect_block(Cell *c, int block, int source, int destination)
{
    expect_at(c, block_at(c, c->receive, block), elements_in(c, block), source, destination);
}

/* Reductions: whole numbers that differ from item to item and from rank to rank, and whose results
 * every type holds exactly (a float: up to 2^24). Of a product, up to FACTORS ranks of each item
 * have a factor other than 1, and every rank has a sign. */
static uint32_t mixed_of(const Cell *c, int rank, int item)
{
    uint32_t mixed = ((uint32_t)c->repetition + 1) * 374761393u;
    mixed = (mixed ^ mixed >> 15 ^ (uint32_t)rank) * 2654435761u;
    mixed = (mixed ^ mixed >> 16 ^ (uint32_t)item) * 2246822519u;
    mixed = (mixed ^ mixed >> 13) * 3266489917u;
    return mixed ^ mixed >> 16;
}

static double factor_of(const Cell *c, int rank, int item)
{
    enum { FACTORS = 8 };
    static const int factors[] = {2, 3, 5};
    const uint32_t mixed = mixed_of(c, rank, item);
    const int place = (rank + item) % c->ranks;
    return (place < FACTORS ? factors[mixed % 3] : 1) * (mixed & 1024 ? -1 : 1);
}

static double term_of(const Cell *c, int rank, int item)
{
    const uint32_t mixed = mixed_of(c, rank, item);
    if (c->op == MPI_PROD)
        return factor_of(c, rank, item);
    if (c->op == MPI_SUM)
        return (double)(mixed % 127) - 63;
    return (double)(mixed % (1 << 20)) - (1 << 19);
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

void fill_terms_at(const Cell *c, char *target, int items)
{
    for (int item = 0; item < items; item++)
        write_item(&c->element, target + (size_t)item * c->element.extent,
                   term_of(c, c->rank, item));
}

void fill_terms(Cell *c)
{
    fill_terms_at(c, c->send, c->count);
}

static void expect_item(Cell *c, char *place, double wanted, int item, int items)
{
    const double found = read_item(&c->element, place);
    if (found != wanted)
        report_wrong(c, "item %d of %d is %g, not %g", item, items, found, wanted);
    memset(place, POISON, c->element.extent);
}

void expect_reduction(Cell *c, int last_rank, int first_item, int items)
{
    for (int i = 0; i < items && !c->wrong_data; i++) {
        double wanted = term_of(c, 0, first_item + i);
        for (int rank = 1; rank <= last_rank; rank++)
            wanted = combine(c->op, wanted, term_of(c, rank, first_item + i));
        expect_item(c, c->receive + (size_t)i * c->element.extent, wanted, i, items);
    }
}

void expect_terms_at(Cell *c, char *block, int rank, int other)
{
    for (int i = 0; i < c->count && !c->wrong_data; i++) {
        double wanted = term_of(c, rank, i);
        if (other >= 0)
            wanted = combine(c->op, wanted, term_of(c, other, i));
        expect_item(c, block + (size_t)i * c->element.extent, wanted, i, c->count);
    }
}

/* Where all blocks of the output are input too, the whole of it; else this rank's own block. A
 * scatter in place leaves the root's block where it is. */
void place_input(Cell *c)
{
    const Data *data = c->kernel->data;
    if (!data || !is_in_place(c))
        return;
    if (data->send == data->receive)
        memcpy(c->receive, c->send, c->send_bytes);
    else if (data->send == ONE_BLOCK)
        memcpy(block_at(c, c->receive, c->rank), c->send,
               (size_t)c->counts[c->rank] * c->element.extent);
}
