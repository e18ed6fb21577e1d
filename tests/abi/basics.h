#ifndef BASICS_H
#define BASICS_H

#include <complex.h>
#include <mpi.h>
#include <stdbool.h>
#include <string.h>
#include <wchar.h>

enum { ROOM = 64 };

typedef union {
    char bytes[ROOM];
    long double aligned;
} Value;

/* A value of each basic type, and its bytes as external32, made by hand from the standard. */
typedef struct {
    const char *name;
    MPI_Datatype type;
    Value value;
    const char *external; /* hexadecimal digits */
} Basic;

#define OF(type, c_type, digits, ...)                                                              \
    do {                                                                                           \
        const c_type example = __VA_ARGS__;                                                        \
        Basic *const b = &basics[count++];                                                         \
        *b = (Basic){#type, type, {{0}}, digits};                                                  \
        memcpy(b->value.bytes, &example, sizeof example);                                          \
    } while (0)

typedef struct {
    double value;
    int index;
} DoubleInt;
typedef struct {
    long value;
    int index;
} LongInt;
typedef struct {
    short value;
    int index;
} ShortInt;
typedef struct {
    long double value;
    int index;
} LongDoubleInt;

static inline int make_basics(Basic *basics)
{
    int count = 0;
    OF(MPI_CHAR, char, "41", 'A');
    OF(MPI_SIGNED_CHAR, signed char, "fe", -2);
    OF(MPI_BYTE, unsigned char, "81", 0x81);
    OF(MPI_SHORT, short, "0102", 0x0102);
    OF(MPI_UNSIGNED_SHORT, unsigned short, "fffe", 0xfffe);
    OF(MPI_INT, int, "fffffffe", -2);
    OF(MPI_UNSIGNED, unsigned, "01020304", 0x01020304);
    OF(MPI_LONG, long, "8102030405060708", -0x7efdfcfbfaf9f8f8);
    OF(MPI_UNSIGNED_LONG, unsigned long, "0102030405060708", 0x0102030405060708);
    OF(MPI_LONG_LONG, long long, "0102030405060708", 0x0102030405060708);
    OF(MPI_FLOAT, float, "3fc00000", 1.5f);
    OF(MPI_DOUBLE, double, "bff8000000000000", -1.5);
    OF(MPI_LONG_DOUBLE, long double, "bfff8000000000000000000000000000", -1.5L);
    OF(MPI_WCHAR, wchar_t, "0001f600", 0x1f600);
    OF(MPI_C_BOOL, bool, "01", true);
    OF(MPI_C_FLOAT_COMPLEX, float complex, "3fc0000040000000", 1.5f + 2.0f * I);
    OF(MPI_C_DOUBLE_COMPLEX, double complex, "3ff80000000000004000000000000000", 1.5 + 2.0 * I);
    OF(MPI_C_LONG_DOUBLE_COMPLEX, long double complex,
       "3fff8000000000000000000000000000"
       "40000000000000000000000000000000",
       1.5L + 2.0L * I);
    OF(MPI_AINT, MPI_Aint, "0000000001020304", 0x01020304);
    OF(MPI_COUNT, MPI_Count, "0000000001020304", 0x01020304);
    OF(MPI_INT16_T, short, "0102", 0x0102);
    OF(MPI_UINT64_T, unsigned long, "0102030405060708", 0x0102030405060708);
    OF(MPI_INTEGER, int, "01020304", 0x01020304);
    OF(MPI_LOGICAL, int, "00000001", 1);
    OF(MPI_REAL, float, "3fc00000", 1.5f);
    OF(MPI_DOUBLE_PRECISION, double, "3ff8000000000000", 1.5);
    OF(MPI_COMPLEX, float complex, "3fc0000040000000", 1.5f + 2.0f * I);
    OF(MPI_DOUBLE_COMPLEX, double complex, "3ff80000000000004000000000000000", 1.5 + 2.0 * I);
    OF(MPI_INTEGER8, long, "0102030405060708", 0x0102030405060708);
    OF(MPI_2INT, long, "0000000100000002", 0x0000000200000001);
    OF(MPI_2REAL, float complex, "3fc0000040000000", 1.5f + 2.0f * I);
    OF(MPI_DOUBLE_INT, DoubleInt, "3ff800000000000001020304", {1.5, 0x01020304});
    OF(MPI_LONG_INT, LongInt, "010203040506070801020304", {0x0102030405060708, 0x01020304});
    OF(MPI_SHORT_INT, ShortInt, "010201020304", {0x0102, 0x01020304});
    OF(MPI_LONG_DOUBLE_INT, LongDoubleInt, "3fff800000000000000000000000000001020304",
       {1.5L, 0x01020304});
    return count;
}

#endif
