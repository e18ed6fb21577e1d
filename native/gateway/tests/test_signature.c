/* The basic elements of a type come out in the order in which it was made of them: random types,
 * taken apart again, against the list of elements that each was made with. */
#include "check.h"
#include "gateway.h"
#include "signature.h"
#include "types.h"
#include <stdlib.h>
#include <string.h>

AbiTable below;

enum { MOST_TYPES = 40, MOST_UNITS = 4096, ROUNDS = 300, FIRST_TYPE = 4096 };

typedef struct {
    int unit;
    bool long_double;
} Unit;

/* A type of the program's, with its elements as a plain list. */
typedef struct {
    int combiner, parts;
    MPI_Datatype part[4];
    int times[4];
    int64_t bytes;
    int count;
    Unit units[MOST_UNITS];
} Made;
static Made made[MOST_TYPES];
static int made_count, copies; /* copies: handles that MPI_Type_get_contents has given */

static const struct {
    MPI_Datatype type;
    int count;
    Unit units[2];
} basic[] = {
    {MPI_BYTE, 1, {{1, false}}},
    {MPI_INT, 1, {{4, false}}},
    {MPI_DOUBLE, 1, {{8, false}}},
    {MPI_LONG_DOUBLE, 1, {{(int)sizeof(long double), true}}},
    {MPI_C_DOUBLE_COMPLEX, 2, {{8, false}, {8, false}}},
    {MPI_DOUBLE_INT, 2, {{8, false}, {4, false}}},
};
enum { BASIC = sizeof basic / sizeof *basic };

static Made *made_of(MPI_Datatype type)
{
    return &made[((uintptr_t)type - FIRST_TYPE) / 64];
}

static bool is_made(MPI_Datatype type)
{
    return (uintptr_t)type >= FIRST_TYPE;
}

static int64_t bytes_of(MPI_Datatype type)
{
    int64_t bytes = 0;
    if (is_made(type))
        return made_of(type)->bytes;
    for (int i = 0; i < BASIC; i++)
        for (int u = 0; basic[i].type == type && u < basic[i].count; u++)
            bytes += basic[i].units[u].unit;
    return bytes;
}

static int size_c(MPI_Datatype type, MPI_Count *bytes)
{
    *bytes = bytes_of(type);
    return MPI_SUCCESS;
}

static int extent(MPI_Datatype type, MPI_Aint *lower, MPI_Aint *bytes)
{
    *lower = 0;
    *bytes = (MPI_Aint)bytes_of(type);
    return MPI_SUCCESS;
}

static int envelope(MPI_Datatype type, MPI_Count *integers, MPI_Count *addresses, MPI_Count *counts,
                    MPI_Count *types, int *combiner)
{
    const Made *m = made_of(type);
    *integers = 0;
    *addresses = m->combiner == MPI_COMBINER_STRUCT ? m->parts : 0;
    *counts = m->combiner == MPI_COMBINER_STRUCT ? m->parts + 1 : 1;
    *types = m->parts;
    *combiner = m->combiner;
    return MPI_SUCCESS;
}

static int contents(MPI_Datatype type, MPI_Count integers, MPI_Count addresses, MPI_Count counts,
                    MPI_Count types, int integer[], MPI_Aint address[], MPI_Count count[],
                    MPI_Datatype part[])
{
    const Made *m = made_of(type);
    (void)integers, (void)addresses, (void)counts, (void)integer, (void)address;
    count[0] = m->combiner == MPI_COMBINER_STRUCT ? m->parts : m->times[0];
    for (int i = 0; i < types; i++) {
        part[i] = m->part[i];
        copies += is_made(part[i]);
        if (m->combiner == MPI_COMBINER_STRUCT)
            count[1 + i] = m->times[i];
    }
    return MPI_SUCCESS;
}

static int type_free(MPI_Datatype *type)
{
    CHECK(is_made(*type));
    copies--;
    *type = MPI_DATATYPE_NULL;
    return MPI_SUCCESS;
}

/* Adds so many elements of a type. False: they are too many for this test. */
static bool add(Made *m, MPI_Datatype type, int times)
{
    for (int t = 0; t < times; t++) {
        const Unit *units = NULL;
        int count = 0;
        if (is_made(type)) {
            units = made_of(type)->units;
            count = made_of(type)->count;
        }
        for (int i = 0; i < BASIC; i++)
            if (basic[i].type == type) {
                units = basic[i].units;
                count = basic[i].count;
            }
        if (m->count + count > MOST_UNITS)
            return false;
        memcpy(m->units + m->count, units, (size_t)count * sizeof *units);
        m->count += count;
    }
    return true;
}

static void make_type(void)
{
    Made *m = &made[made_count];
    *m = (Made){.combiner = draw(2) ? MPI_COMBINER_CONTIGUOUS : MPI_COMBINER_STRUCT, .parts = 1};
    if (m->combiner == MPI_COMBINER_STRUCT)
        m->parts = 1 + draw(4);
    for (int i = 0; i < m->parts; i++) {
        m->part[i] = made_count && draw(2)
                         ? (MPI_Datatype)(uintptr_t)(FIRST_TYPE + 64 * draw(made_count))
                         : basic[draw(BASIC)].type;
        m->times[i] = draw(4);
        if (!add(m, m->part[i], m->times[i]))
            return; /* it is not made then */
        m->bytes += m->times[i] * bytes_of(m->part[i]);
    }
    made_count++;
}

/* The signature as a plain list. */
static void flatten(const Signature *s, Unit *units, int *count)
{
    for (int64_t t = 0; t < s->times && *count < MOST_UNITS; t++) {
        if (s->unit)
            units[(*count)++] = (Unit){s->unit, s->long_double};
        for (int i = 0; !s->unit && i < s->count; i++)
            flatten(&s->parts[i], units, count);
    }
}

static void compare(const Made *m, MPI_Datatype type, int times)
{
    static Unit units[MOST_UNITS];
    Signature s;
    int count = 0;
    CHECK(describe_type(type, times, &s) == MPI_SUCCESS);
    flatten(&s, units, &count);
    CHECK(count == m->count * times);
    for (int i = 0; i < count && m->count; i++) {
        const Unit expected = m->units[i % m->count];
        CHECK(units[i].unit == expected.unit && units[i].long_double == expected.long_double);
    }
    forget_signature(&s);
    CHECK(copies == 0);
}

int main(void)
{
    below.Type_size_c = size_c;
    below.Type_get_extent = extent;
    below.Type_get_envelope_c = envelope;
    below.Type_get_contents_c = contents;
    below.Type_free = type_free;
    for (int i = 0; i < BASIC; i++) {
        Made plain = {.count = 0};
        add(&plain, basic[i].type, 1);
        compare(&plain, basic[i].type, 3);
    }
    for (int round = 0; round < ROUNDS; round++) {
        made_count = 0;
        for (int i = 0; i < MOST_TYPES; i++)
            make_type();
        for (int i = 0; i < made_count; i++) {
            const int times = made[i].count * 2 <= MOST_UNITS ? 1 + draw(2) : 1;
            compare(&made[i], (MPI_Datatype)(uintptr_t)(FIRST_TYPE + 64 * i), times);
        }
    }
    return failures != 0;
}
