/* Elements, and where they lie: the same units of a message in one layout here, another one there.
 */
#include "plan.h"
#include <stdlib.h>
#include <string.h>

enum { GAP = 0x5a, LETTERS_TYPES = 8 };

static size_t size_of(char letter)
{
    return letter == 'b'          ? 1
           : letter == 's'        ? sizeof(short)
           : strchr("iu", letter) ? sizeof(int)
                                  : 8;
}

static MPI_Datatype basic(char letter)
{
    switch (letter) {
    case 'b':
        return MPI_SIGNED_CHAR;
    case 's':
        return MPI_SHORT;
    case 'i':
        return MPI_INT;
    case 'u':
        return MPI_UNSIGNED;
    case 'l':
        return MPI_LONG;
    default:
        return MPI_DOUBLE;
    }
}

Unit unit_of(const char *letters)
{
    Unit unit = {.length = (int)strlen(letters)};
    size_t largest = 1;
    strcpy(unit.letters, letters);
    for (int i = 0; i < unit.length; i++) {
        const size_t size = size_of(letters[i]);
        unit.extent = (unit.extent + size - 1) / size * size;
        unit.at[i] = unit.extent;
        unit.extent += size;
        largest = size > largest ? size : largest;
    }
    unit.extent = (unit.extent + largest - 1) / largest * largest;
    return unit;
}

static MPI_Datatype make_unit(const Unit *unit)
{
    int ones[MAX_LETTERS];
    MPI_Aint places[MAX_LETTERS];
    MPI_Datatype types[MAX_LETTERS], packed, made;
    for (int i = 0; i < unit->length; i++)
        ones[i] = 1, places[i] = (MPI_Aint)unit->at[i], types[i] = basic(unit->letters[i]);
    MPI_Type_create_struct(unit->length, ones, places, types, &packed);
    MPI_Type_create_resized(packed, 0, (MPI_Aint)unit->extent, &made);
    MPI_Type_free(&packed);
    memset(places, -1, sizeof places); /* they may be used again at once */
    return made;
}

/* One for each signature, which lives until the end: to count what has arrived. */
MPI_Datatype type_of(const Unit *unit)
{
    static struct {
        char letters[MAX_LETTERS + 1];
        MPI_Datatype type;
    } known[LETTERS_TYPES];
    if (unit->length == 1)
        return basic(unit->letters[0]);
    int i = 0;
    while (known[i].letters[0] && strcmp(known[i].letters, unit->letters) != 0)
        i++;
    if (!known[i].letters[0]) {
        known[i].type = make_unit(unit);
        MPI_Type_commit(&known[i].type);
        strcpy(known[i].letters, unit->letters);
    }
    return known[i].type;
}

static int block_of(const Layout *layout)
{
    return layout->units % 2 ? 1 : 2;
}

/* Where a unit of an item begins. */
static size_t place(const Layout *layout, int unit)
{
    const int block = block_of(layout);
    switch (layout->kind) {
    case 'v': /* blocks with one unit between */
        return (size_t)(unit / block * (block + 1) + unit % block) * layout->unit.extent;
    case 'x': /* the last one first, with one between */
        return (size_t)(2 * (layout->units - 1 - unit)) * layout->unit.extent;
    case 'h': /* ever farther from one another */
        return (size_t)unit * layout->unit.extent + (size_t)(unit * unit) * 8;
    default:
        return (size_t)unit * layout->unit.extent;
    }
}

static size_t extent_of(const Layout *layout)
{
    if (layout->kind == 'x')
        return place(layout, 0) + layout->unit.extent;
    return place(layout, layout->units - 1) + layout->unit.extent + (layout->kind == 'z' ? 16 : 0);
}

static MPI_Datatype make_type(const Layout *layout, MPI_Datatype unit)
{
    const int units = layout->units, block = block_of(layout);
    MPI_Datatype type = MPI_DATATYPE_NULL, inner;
    int *ones = malloc(sizeof(int) * (size_t)units), *indices = malloc(sizeof(int) * (size_t)units);
    MPI_Aint *places = malloc(sizeof(MPI_Aint) * (size_t)units);
    for (int i = 0; i < units; i++) {
        ones[i] = 1, places[i] = (MPI_Aint)place(layout, i);
        indices[i] = (int)(place(layout, i) / layout->unit.extent);
    }
    if (layout->kind == 'v')
        MPI_Type_vector(units / block, block, block + 1, unit, &type);
    else if (layout->kind == 'x')
        MPI_Type_indexed(units, ones, indices, unit, &type);
    else if (layout->kind == 'h')
        MPI_Type_create_hindexed(units, ones, places, unit, &type);
    else
        MPI_Type_contiguous(units, unit, &type);
    if (layout->kind == 'z') {
        inner = type;
        MPI_Type_create_resized(inner, 0, (MPI_Aint)layout->extent, &type);
        MPI_Type_free(&inner);
    }
    memset(ones, -1, sizeof(int) * (size_t)units);
    memset(places, -1, sizeof(MPI_Aint) * (size_t)units);
    free(ones), free(indices), free(places);
    MPI_Type_commit(&type);
    return type;
}

/* `layouts`: several with commas between, such as c1,v4: who has which depends on the turn. */
Layout make_layout(const char *letters, const char *layouts, int turn)
{
    Layout layout = {.unit = unit_of(letters)};
    int several = 1;
    for (const char *c = layouts; *c; c++)
        several += *c == ',';
    for (turn %= several; turn; turn--)
        layouts = strchr(layouts, ',') + 1;
    layout.kind = layouts[0];
    layout.units = atoi(layouts + 1);
    if (layout.kind == 'a') { /* made when the place in memory is known */
        layout.type = MPI_DATATYPE_NULL;
        layout.units = 1;
        layout.extent = 2 * layout.unit.extent;
        return layout;
    }
    layout.extent = extent_of(&layout);
    if (layout.kind == 'c' && layout.units == 1 && layout.unit.length == 1) {
        layout.type = basic(letters[0]);
        return layout;
    }
    MPI_Datatype unit = layout.unit.length == 1 ? basic(letters[0]) : make_unit(&layout.unit);
    MPI_Aint lower, extent;
    layout.type = make_type(&layout, unit);
    layout.made = 1;
    if (layout.unit.length > 1)
        MPI_Type_free(&unit);
    MPI_Type_get_extent(layout.type, &lower, &extent);
    if (lower != 0 || (size_t)extent != layout.extent)
        wrong("the type %c%d of %s reaches from %ld on over %ld bytes, expected %zu", layout.kind,
              layout.units, letters, (long)lower, (long)extent, layout.extent);
    return layout;
}

void free_layout(Layout *layout)
{
    if (layout->made)
        MPI_Type_free(&layout->type);
    layout->made = 0;
}

/* For so many units, which are a multiple of those of an item. */
Area make_area(const char *letters, const char *layouts, int turn, int units)
{
    Area area = {.layout = make_layout(letters, layouts, turn)};
    area.items = units / area.layout.units;
    area.bytes = (size_t)(area.items + 1) * area.layout.extent;
    area.memory = malloc(area.bytes);
    area.expected = malloc(area.bytes);
    clear_area(&area);
    return area;
}

void clear_area(Area *area)
{
    memset(area->memory, GAP, area->bytes);
    memset(area->expected, GAP, area->bytes);
}

void free_area(Area *area)
{
    if (!area->memory)
        return;
    free_layout(&area->layout);
    memset(area->memory, 0xee, area->bytes); /* whoever still reads it gets something else */
    free(area->memory), free(area->expected);
    area->memory = NULL;
}

/* Of one absolute type for all of it and MPI_BOTTOM, too. */
void *address_of(Area *area, int *count)
{
    *count = area->items;
    Layout *layout = &area->layout;
    if (layout->kind != 'a')
        return area->memory;
    *count = area->items > 0; /* libraries differ in what an empty type is */
    if (layout->made)
        return MPI_BOTTOM;
    MPI_Datatype unit =
        layout->unit.length == 1 ? basic(layout->unit.letters[0]) : make_unit(&layout->unit);
    const size_t items = (size_t)area->items;
    int *ones = malloc(sizeof(int) * (items + 1));
    MPI_Aint *places = malloc(sizeof(MPI_Aint) * (items + 1)), start;
    MPI_Get_address(area->memory, &start);
    for (size_t i = 0; i < items; i++)
        ones[i] = 1, places[i] = MPI_Aint_add(start, (MPI_Aint)(i * layout->extent));
    MPI_Type_create_hindexed(area->items, ones, places, unit, &layout->type);
    MPI_Type_commit(&layout->type);
    layout->made = 1;
    if (layout->unit.length > 1)
        MPI_Type_free(&unit);
    memset(places, 0, sizeof(MPI_Aint) * items);
    free(ones), free(places);
    return MPI_BOTTOM;
}

static uint32_t mixed(uint32_t hash, int number)
{
    hash = (hash ^ (uint32_t)number) * 0x9e3779b1u;
    hash ^= hash >> 15;
    return hash * 0x85ebca77u ^ hash >> 13;
}

int64_t value_of(char letter, Source source, int place)
{
    if (source.named && place == 0)
        return source.operation;
    uint32_t hash = mixed(7, source.operation);
    hash = mixed(mixed(mixed(hash, source.round), source.from), source.to);
    hash = mixed(hash, place);
    hash ^= hash >> 16;
    switch (letter) {
    case 'b':
        return hash & (source.small ? 0x7 : 0x7f);
    case 's':
        return hash & (source.small ? 0x3ff : 0x7fff);
    case 'i':
        return hash & (source.small ? 0xffff : 0x7fffffff);
    case 'd':
        return hash & 0xffffff;
    default:
        return hash;
    }
}

static char *element(char *memory, const Area *area, int item, int place_, char *letter)
{
    const Layout *layout = &area->layout;
    const int length = layout->unit.length, unit = place_ / length;
    *letter = layout->unit.letters[place_ % length];
    const size_t whole = (size_t)(item + unit / layout->units) * layout->extent;
    return memory + whole + place(layout, unit % layout->units) + layout->unit.at[place_ % length];
}

void set(char *memory, const Area *area, int item, int place_, int64_t value)
{
    char letter, *at = element(memory, area, item, place_, &letter);
    const short s = (short)value;
    const unsigned u = (unsigned)value;
    const long l = (long)value;
    const double d = (double)value;
    switch (letter) {
    case 'b':
        *(signed char *)at = (signed char)value;
        break;
    case 's':
        memcpy(at, &s, sizeof s);
        break;
    case 'l':
        memcpy(at, &l, sizeof l);
        break;
    case 'd':
        memcpy(at, &d, sizeof d);
        break;
    default:
        memcpy(at, &u, sizeof u);
    }
}

int64_t get(const char *memory, const Area *area, int item, int place_)
{
    char letter, *at = element((char *)(uintptr_t)memory, area, item, place_, &letter);
    short s;
    unsigned u;
    long l;
    double d;
    switch (letter) {
    case 'b':
        return *(signed char *)at;
    case 's':
        return memcpy(&s, at, sizeof s), s;
    case 'l':
        return memcpy(&l, at, sizeof l), l;
    case 'd':
        return memcpy(&d, at, sizeof d), (int64_t)d;
    case 'i':
        return memcpy(&u, at, sizeof u), (int)u;
    default:
        return memcpy(&u, at, sizeof u), u;
    }
}

void put(char *memory, const Area *area, int item, int units, Source source)
{
    const Unit *unit = &area->layout.unit;
    for (int i = 0; i < units * unit->length; i++)
        set(memory, area, item, i, value_of(unit->letters[i % unit->length], source, i));
}

/* The whole memory: what lies between units was not to be touched. */
void check_area(const Area *area, const char *what)
{
    const int places = area->items * area->layout.units * area->layout.unit.length;
    if (plan.spoilt && places)
        area->expected[0] ^= 1;
    if (!memcmp(area->memory, area->expected, area->bytes))
        return;
    for (int i = 0; i < places; i++) {
        const int64_t is = get(area->memory, area, 0, i),
                      expected = get(area->expected, area, 0, i);
        if (is != expected) {
            wrong("%s: element %d of %d: expected %lld, got %lld", what, i, places,
                  (long long)expected, (long long)is);
            return;
        }
    }
    wrong("%s: bytes between elements were changed", what);
}
