#include "signature.h"
#include "gateway.h"
#include "types.h"
#include <stdlib.h>

/* Basic types whose elements are not one integer or floating-point number of the type's size. */
enum { LONG_DOUBLE = -1 };
static const struct {
    MPI_Datatype type;
    int first, second; /* a second one after each first */
} basic_types[] = {
    {MPI_LONG_DOUBLE, LONG_DOUBLE, 0},
    {MPI_C_FLOAT_COMPLEX, sizeof(float), 0},
    {MPI_C_DOUBLE_COMPLEX, sizeof(double), 0},
    {MPI_C_LONG_DOUBLE_COMPLEX, LONG_DOUBLE, 0},
    {MPI_CXX_FLOAT_COMPLEX, sizeof(float), 0},
    {MPI_CXX_DOUBLE_COMPLEX, sizeof(double), 0},
    {MPI_CXX_LONG_DOUBLE_COMPLEX, LONG_DOUBLE, 0},
    {MPI_COMPLEX, sizeof(float), 0},
    {MPI_DOUBLE_COMPLEX, sizeof(double), 0},
    {MPI_COMPLEX4, 2, 0},
    {MPI_COMPLEX8, 4, 0},
    {MPI_COMPLEX16, 8, 0},
    {MPI_COMPLEX32, 16, 0},
    {MPI_2INT, sizeof(int), 0},
    {MPI_2INTEGER, sizeof(int), 0},
    {MPI_2REAL, sizeof(float), 0},
    {MPI_2DOUBLE_PRECISION, sizeof(double), 0},
    {MPI_FLOAT_INT, sizeof(float), sizeof(int)},
    {MPI_DOUBLE_INT, sizeof(double), sizeof(int)},
    {MPI_LONG_INT, sizeof(long), sizeof(int)},
    {MPI_SHORT_INT, sizeof(short), sizeof(int)},
    {MPI_LONG_DOUBLE_INT, LONG_DOUBLE, sizeof(int)},
};

static int bytes_of_unit(int unit)
{
    return unit == LONG_DOUBLE ? (int)sizeof(long double) : unit;
}

static Signature elements(int unit, int64_t times)
{
    return (Signature){
        .times = times, .unit = bytes_of_unit(unit), .long_double = unit == LONG_DOUBLE};
}

static int make_parts(Signature *s, int count)
{
    s->count = count;
    s->parts = calloc((size_t)count + 1, sizeof *s->parts);
    return s->parts ? MPI_SUCCESS : MPI_ERR_NO_MEM;
}

static int describe_basic(MPI_Datatype type, int64_t bytes, int64_t times, Signature *s)
{
    int first = (int)bytes, second = 0;
    for (size_t i = 0; i < sizeof basic_types / sizeof *basic_types; i++)
        if (basic_types[i].type == type) {
            first = basic_types[i].first;
            second = basic_types[i].second;
        }
    if (!second) {
        *s = elements(first, times * (bytes / bytes_of_unit(first)));
        return MPI_SUCCESS;
    }
    *s = (Signature){.times = times};
    const int code = make_parts(s, 2);
    if (code == MPI_SUCCESS) {
        s->parts[0] = elements(first, 1);
        s->parts[1] = elements(second, 1);
    }
    return code;
}

void forget_signature(Signature *s)
{
    for (int i = 0; i < s->count; i++)
        forget_signature(&s->parts[i]);
    free(s->parts);
}

/* What MPI_Type_get_contents says. */
typedef struct {
    MPI_Count integers, addresses, counts, types;
    int combiner, *integer;
    MPI_Aint *address;
    MPI_Count *count;
    MPI_Datatype *type;
} Contents;

static int ask_contents(MPI_Datatype type, Contents *c)
{
    int code = below.Type_get_envelope_c(type, &c->integers, &c->addresses, &c->counts, &c->types,
                                         &c->combiner);
    if (code != MPI_SUCCESS || !c->types)
        return code;
    c->integer = calloc((size_t)c->integers + 1, sizeof *c->integer);
    c->address = calloc((size_t)c->addresses + 1, sizeof *c->address);
    c->count = calloc((size_t)c->counts + 1, sizeof *c->count);
    c->type = calloc((size_t)c->types, sizeof *c->type);
    if (!c->integer || !c->address || !c->count || !c->type)
        return MPI_ERR_NO_MEM;
    return below.Type_get_contents_c(type, c->integers, c->addresses, c->counts, c->types,
                                     c->integer, c->address, c->count, c->type);
}

/* Fortran's types of a precision have no contents, and are nobody's to free. */
static bool is_precision(int combiner)
{
    return combiner == MPI_COMBINER_F90_REAL || combiner == MPI_COMBINER_F90_COMPLEX ||
           combiner == MPI_COMBINER_F90_INTEGER;
}

static void free_contents(Contents *c)
{
    for (MPI_Count i = 0; c->type && i < c->types; i++) {
        Contents part = {0};
        if (c->type[i] && !is_predefined_type(c->type[i]) &&
            below.Type_get_envelope_c(c->type[i], &part.integers, &part.addresses, &part.counts,
                                      &part.types, &part.combiner) == MPI_SUCCESS &&
            part.combiner != MPI_COMBINER_NAMED && !is_precision(part.combiner))
            below.Type_free(&c->type[i]);
    }
    free(c->integer);
    free(c->address);
    free(c->count);
    free(c->type);
}

/* How often a part is there, one after another: as often as it fits, where there is but one. */
static int64_t times_of_part(const Contents *c, int64_t bytes, MPI_Count i)
{
    const int64_t each = facts_of(c->type[i]).bytes;
    if (each <= 0)
        return 0;
    if (c->types == 1 && c->combiner != MPI_COMBINER_STRUCT)
        return bytes / each;
    if (c->combiner != MPI_COMBINER_STRUCT)
        return 1;
    return c->counts ? c->count[1 + i] : c->integer[1 + i];
}

static int describe_parts(const Contents *c, int64_t bytes, int64_t times, Signature *s)
{
    *s = (Signature){.times = times};
    int code = make_parts(s, (int)c->types);
    for (int i = 0; code == MPI_SUCCESS && i < s->count; i++)
        code = describe_type(c->type[i], times_of_part(c, bytes, i), &s->parts[i]);
    return code;
}

int describe_type(MPI_Datatype type, int64_t times, Signature *s)
{
    const int64_t bytes = facts_of(type).bytes;
    Contents c = {0};
    *s = (Signature){0};
    if (bytes <= 0 || times <= 0)
        return MPI_SUCCESS;
    if (is_predefined_type(type))
        return describe_basic(type, bytes, times, s);
    int code = ask_contents(type, &c);
    if (code == MPI_SUCCESS && is_precision(c.combiner)) {
        const int numbers = c.combiner == MPI_COMBINER_F90_COMPLEX ? 2 : 1;
        *s = elements((int)bytes / numbers, times * numbers);
    } else if (code == MPI_SUCCESS) {
        code = describe_parts(&c, bytes, times, s);
    }
    free_contents(&c);
    return code;
}
