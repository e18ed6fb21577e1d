/* The reduction of two vectors on one rank. MPI has it from 2.2 on; for older ones the predefined
 * operations on C's basic types are here. */
#include "local_reduction.h"

#if MPI_VERSION > 2 || (MPI_VERSION == 2 && MPI_SUBVERSION >= 2)

int reduce_local(const void *from, void *to, int count, MPI_Datatype type, MPI_Op op)
{
    return PMPI_Reduce_local((void *)from, to, count, type, op);
}

#else

enum { SUM, PROD, MAX, MIN, LAND, LOR, LXOR, ARITHMETIC, BAND = ARITHMETIC, BOR, BXOR, OTHER };

static int number_of(MPI_Op op)
{
    const MPI_Op known[] = {MPI_SUM, MPI_PROD, MPI_MAX,  MPI_MIN, MPI_LAND,
                            MPI_LOR, MPI_LXOR, MPI_BAND, MPI_BOR, MPI_BXOR};
    int number = 0;
    while (number < OTHER && op != known[number])
        number++;
    return number;
}

#define EACH(RESULT)                                                                               \
    for (int i = 0; i < count; i++)                                                                \
        b[i] = (RESULT);                                                                           \
    return MPI_SUCCESS

#define NUMBERS(NAME, TYPE)                                                                        \
    static int reduce_##NAME(const TYPE *a, TYPE *b, int count, int op)                            \
    {                                                                                              \
        switch (op) {                                                                              \
        case SUM:                                                                                  \
            EACH((TYPE)(a[i] + b[i]));                                                             \
        case PROD:                                                                                 \
            EACH((TYPE)(a[i] * b[i]));                                                             \
        case MAX:                                                                                  \
            EACH(a[i] > b[i] ? a[i] : b[i]);                                                       \
        case MIN:                                                                                  \
            EACH(a[i] < b[i] ? a[i] : b[i]);                                                       \
        case LAND:                                                                                 \
            EACH(a[i] && b[i]);                                                                    \
        case LOR:                                                                                  \
            EACH(a[i] || b[i]);                                                                    \
        case LXOR:                                                                                 \
            EACH(!a[i] != !b[i]);                                                                  \
        default:                                                                                   \
            return MPI_ERR_OP;                                                                     \
        }                                                                                          \
    }
#define INTEGERS(NAME, TYPE)                                                                       \
    NUMBERS(NAME##_as_number, TYPE)                                                                \
    static int reduce_##NAME(const TYPE *a, TYPE *b, int count, int op)                            \
    {                                                                                              \
        switch (op) {                                                                              \
        case BAND:                                                                                 \
            EACH((TYPE)(a[i] & b[i]));                                                             \
        case BOR:                                                                                  \
            EACH((TYPE)(a[i] | b[i]));                                                             \
        case BXOR:                                                                                 \
            EACH((TYPE)(a[i] ^ b[i]));                                                             \
        default:                                                                                   \
            return reduce_##NAME##_as_number(a, b, count, op);                                     \
        }                                                                                          \
    }

NUMBERS(float, float)
NUMBERS(double, double)
NUMBERS(long_double, long double)
INTEGERS(byte, unsigned char)
INTEGERS(short, short)
INTEGERS(unsigned_short, unsigned short)
INTEGERS(int, int)
INTEGERS(unsigned, unsigned)
INTEGERS(long, long)
INTEGERS(unsigned_long, unsigned long)

int reduce_local(const void *from, void *to, int count, MPI_Datatype type, MPI_Op op)
{
    const int number = number_of(op);
#define TRY(HANDLE, NAME)                                                                          \
    if (type == HANDLE)                                                                            \
    return reduce_##NAME(from, to, count, number)
    TRY(MPI_DOUBLE, double);
    TRY(MPI_FLOAT, float);
    TRY(MPI_INT, int);
    TRY(MPI_LONG, long);
    TRY(MPI_UNSIGNED, unsigned);
    TRY(MPI_UNSIGNED_LONG, unsigned_long);
    TRY(MPI_SHORT, short);
    TRY(MPI_UNSIGNED_SHORT, unsigned_short);
    TRY(MPI_LONG_DOUBLE, long_double);
    TRY(MPI_BYTE, byte);
    TRY(MPI_UNSIGNED_CHAR, byte);
    return MPI_ERR_OP;
}

#endif
