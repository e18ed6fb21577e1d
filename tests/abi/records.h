#ifndef RECORDS_H
#define RECORDS_H

#include "traps.h"
#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <wchar.h>

/* Types with gaps, in one another. */
typedef struct {
    char letter;
    double number;
    short few[3];
    long double wide;
    wchar_t sign;
    long whole;
} Record;

static inline Record record(int from, int index)
{
    Record r;
    memset(&r, 0x55, sizeof r);
    r.letter = (char)('a' + index % 26);
    r.number = from + index / 8.0;
    for (int i = 0; i < 3; i++)
        r.few[i] = (short)(from * 100 + index + i);
    r.wide = -index / 3.0L;
    r.sign = 0x1f600 + index;
    r.whole = ((long)from << 40) + index;
    return r;
}

static inline bool same_record(const Record *a, const Record *b)
{
    return a->letter == b->letter && a->number == b->number &&
           memcmp(a->few, b->few, sizeof a->few) == 0 && a->wide == b->wide && a->sign == b->sign &&
           a->whole == b->whole;
}

/* Of eight basic elements. */
static inline MPI_Datatype record_type(void)
{
    int lengths[] = {1, 1, 3, 1, 1, 1};
    MPI_Aint places[] = {offsetof(Record, letter), offsetof(Record, number),
                         offsetof(Record, few),    offsetof(Record, wide),
                         offsetof(Record, sign),   offsetof(Record, whole)};
    MPI_Datatype types[] = {MPI_CHAR,
                            MPI_DOUBLE,
                            MPI_SHORT,
                            MPI_LONG_DOUBLE,
                            sizeof(wchar_t) == sizeof(int) ? MPI_INT : MPI_SHORT,
                            MPI_LONG};
    MPI_Datatype parts, whole;
    MPI_Type_create_struct(6, lengths, places, types, &parts);
    MPI_Type_create_resized(parts, 0, sizeof(Record), &whole);
    MPI_Type_commit(&whole);
    MPI_Type_free(&parts);
    return whole;
}

static int rank, ranks;
static bool external; /* data go as external32 between sites */

static inline MPI_Datatype begin(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    external = argc > 1 && strcmp(argv[1], "external32") == 0;
    return record_type();
}

static inline int end(MPI_Datatype type)
{
    MPI_Type_free(&type);
    report();
    MPI_Finalize();
    return 0;
}

#endif
