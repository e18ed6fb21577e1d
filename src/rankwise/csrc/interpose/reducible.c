#include "reducible.h"
#include <stddef.h>

enum { INTEGER = 1, FLOATING = 2, COMPLEX = 4, LOGICAL = 8, BYTES = 16, PAIR = 32 };

typedef struct {
    MPI_Datatype type;
    unsigned kind;
} TypeKind;

typedef struct {
    MPI_Op op;
    unsigned takes;
} OpKinds;

/* Libraries take logical operations of floating-point numbers, too. */
static const OpKinds predefined_ops[] = {
    {MPI_MAX, INTEGER | FLOATING},
    {MPI_MIN, INTEGER | FLOATING},
    {MPI_SUM, INTEGER | FLOATING | COMPLEX},
    {MPI_PROD, INTEGER | FLOATING | COMPLEX},
    {MPI_LAND, INTEGER | FLOATING | LOGICAL},
    {MPI_LOR, INTEGER | FLOATING | LOGICAL},
    {MPI_LXOR, INTEGER | FLOATING | LOGICAL},
    {MPI_BAND, INTEGER | BYTES},
    {MPI_BOR, INTEGER | BYTES},
    {MPI_BXOR, INTEGER | BYTES},
    {MPI_MAXLOC, PAIR},
    {MPI_MINLOC, PAIR},
#if MPI_VERSION >= 3
    {MPI_REPLACE, 0},
    {MPI_NO_OP, 0},
#endif
};

/* Those that are not here (Fortran's with a size, extensions) are for the library to judge. */
static const TypeKind predefined_types[] = {
    {MPI_SHORT, INTEGER},
    {MPI_UNSIGNED_SHORT, INTEGER},
    {MPI_INT, INTEGER},
    {MPI_UNSIGNED, INTEGER},
    {MPI_LONG, INTEGER},
    {MPI_UNSIGNED_LONG, INTEGER},
    {MPI_CHAR, 0},
    {MPI_UNSIGNED_CHAR, INTEGER},
    {MPI_FLOAT, FLOATING},
    {MPI_DOUBLE, FLOATING},
    {MPI_LONG_DOUBLE, FLOATING},
    {MPI_BYTE, BYTES},
    {MPI_PACKED, 0},
    {MPI_FLOAT_INT, PAIR},
    {MPI_DOUBLE_INT, PAIR},
    {MPI_LONG_INT, PAIR},
    {MPI_SHORT_INT, PAIR},
    {MPI_2INT, PAIR},
    {MPI_LONG_DOUBLE_INT, PAIR},
#if MPI_VERSION >= 3
    {MPI_LONG_LONG, INTEGER},
    {MPI_UNSIGNED_LONG_LONG, INTEGER},
    {MPI_SIGNED_CHAR, INTEGER},
    {MPI_INT8_T, INTEGER},
    {MPI_INT16_T, INTEGER},
    {MPI_INT32_T, INTEGER},
    {MPI_INT64_T, INTEGER},
    {MPI_UINT8_T, INTEGER},
    {MPI_UINT16_T, INTEGER},
    {MPI_UINT32_T, INTEGER},
    {MPI_UINT64_T, INTEGER},
    {MPI_AINT, INTEGER},
    {MPI_OFFSET, INTEGER},
    {MPI_COUNT, INTEGER},
    {MPI_C_BOOL, LOGICAL},
    {MPI_C_FLOAT_COMPLEX, COMPLEX},
    {MPI_C_DOUBLE_COMPLEX, COMPLEX},
    {MPI_C_LONG_DOUBLE_COMPLEX, COMPLEX},
    {MPI_WCHAR, 0},
#endif
};

bool is_reducible(MPI_Datatype type, MPI_Op op)
{
    const size_t types = sizeof predefined_types / sizeof *predefined_types;
    const size_t ops = sizeof predefined_ops / sizeof *predefined_ops;
    size_t o = 0, t = 0;
    while (o < ops && predefined_ops[o].op != op)
        o++;
    while (t < types && predefined_types[t].type != type)
        t++;
    return o == ops || t == types || predefined_ops[o].takes & predefined_types[t].kind;
}
