/* Data of all types between sites. With an argument that says so they are external32 on their way,
 * which a receive of MPI_PACKED lets see; without they are as the host has them. */
#include "basics.h"
#include "records.h"
#include <complex.h>
#include <math.h>

enum { MANY = 300 };

/* Old libraries do not know them all. */
static bool known(MPI_Datatype type)
{
    int size = 0;
    return MPI_Type_size(type, &size) == MPI_SUCCESS && size > 0;
}

static int value_of(char digit)
{
    return digit <= '9' ? digit - '0' : digit - 'a' + 10;
}

static bool same_value(const Basic *b, const Value *got)
{
    if (b->type == MPI_LONG_DOUBLE) /* has bytes that mean nothing */
        return *(const long double *)got == *(const long double *)&b->value;
    if (b->type == MPI_C_LONG_DOUBLE_COMPLEX)
        return *(const long double complex *)got == *(const long double complex *)&b->value;
    if (b->type == MPI_LONG_DOUBLE_INT) {
        const LongDoubleInt *one = (const void *)got, *other = (const void *)&b->value;
        return one->value == other->value && one->index == other->index;
    }
    if (b->type == MPI_DOUBLE_INT || b->type == MPI_LONG_INT)
        return memcmp(got, &b->value, 12) == 0;
    if (b->type == MPI_SHORT_INT)
        return memcmp(got, &b->value, 2) == 0 && memcmp(got->bytes + 4, b->value.bytes + 4, 4) == 0;
    return memcmp(got, &b->value, strlen(b->external) / 2) == 0;
}

/* What the last rank gets of the first one's: to look at, and to unpack. */
static void check_bytes(const Basic *b)
{
    char packed[ROOM] = {0};
    Value got = {{0}};
    int count = -1, position = 0;
    const int bytes = (int)strlen(b->external) / 2;
    MPI_Status status;
    if (rank == 0)
        MPI_Send(&b->value, 1, b->type, ranks - 1, 1, MPI_COMM_WORLD);
    if (rank == 0)
        MPI_Send(&b->value, 1, b->type, ranks - 1, 2, MPI_COMM_WORLD);
    if (rank != ranks - 1)
        return;
    MPI_Recv(packed, ROOM, MPI_PACKED, 0, 1, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_PACKED, &count);
    CHECK(count == bytes);
    int same = 0;
    for (int i = 0; i < bytes; i++)
        same += (packed[i] & 0xff) ==
                16 * value_of(b->external[2 * i]) + value_of(b->external[2 * i + 1]);
    if (external)
        CHECK(same == bytes);
    else if (b->type == MPI_INT || b->type == MPI_DOUBLE)
        CHECK(same < bytes); /* the host's own order of bytes is another one */
    MPI_Unpack(packed, ROOM, &position, &got, 1, b->type, MPI_COMM_WORLD);
    CHECK(same_value(b, &got) && position == bytes);
    memset(&got, 0, sizeof got);
    MPI_Recv(&got, 1, b->type, 0, 2, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, b->type, &count);
    CHECK(same_value(b, &got) && count == 1);
}

static void check_basic_types(void)
{
    static Basic basics[64];
    const int count = make_basics(basics);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    for (int i = 0; i < count; i++)
        if (known(basics[i].type))
            check_bytes(&basics[i]);
        else
            lacking++;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

/* No value of a long double is lost: it has less digits than external32's. */
static void check_long_doubles(void)
{
    const long double sent[] = {
        0.0L,      -0.0L,    1.0L / 3,  3.6e-4951L, 1.18973149535723176502e4932L,
        -3e-4940L, INFINITY, -INFINITY, 2.0L,       NAN};
    enum { COUNT = sizeof sent / sizeof *sent };
    long double got[COUNT] = {0};
    if (rank == 0)
        MPI_Send(sent, COUNT, MPI_LONG_DOUBLE, ranks - 1, 3, MPI_COMM_WORLD);
    if (rank != ranks - 1)
        return;
    MPI_Recv(got, COUNT, MPI_LONG_DOUBLE, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < COUNT - 1; i++)
        CHECK(got[i] == sent[i] && !signbit(got[i]) == !signbit(sent[i]));
    CHECK(isnan(got[COUNT - 1]));
}

static void check_records(MPI_Datatype type)
{
    static Record out[MANY], in[MANY + 1];
    for (int shift = 1; shift < ranks; shift++) {
        const int to = (rank + shift) % ranks, from = (rank + ranks - shift) % ranks;
        MPI_Status status;
        int count = -1, elements = -1, bad = 0;
        for (int i = 0; i < MANY; i++)
            out[i] = record(rank, i);
        memset(in, 0, sizeof in);
        MPI_Sendrecv(out, MANY, type, to, 4, in, MANY + 1, type, from, 4, MPI_COMM_WORLD, &status);
        MPI_Get_count(&status, type, &count);
        MPI_Get_elements(&status, type, &elements);
        CHECK(count == MANY && elements == 8 * MANY);
        for (int i = 0; i < MANY; i++) {
            const Record wanted = record(from, i);
            bad += !same_record(&in[i], &wanted);
        }
        CHECK(!bad && in[MANY].letter == 0);
    }
}

/* Every second row of a matrix of records, as one element, and part of one. */
static void check_parts(MPI_Datatype type)
{
    static Record out[MANY], in[MANY];
    MPI_Datatype rows, pairs;
    MPI_Status status;
    int count = -2, elements = -1, bad = 0;
    MPI_Type_vector(5, 3, 6, type, &rows);
    MPI_Type_commit(&rows);
    MPI_Type_contiguous(2, MPI_DOUBLE, &pairs);
    MPI_Type_commit(&pairs);
    for (int i = 0; i < MANY; i++)
        out[i] = record(0, i);
    if (rank == 0) {
        MPI_Send(out, 1, rows, ranks - 1, 5, MPI_COMM_WORLD);
        MPI_Send((double[]){1.5, 2.5, 3.5}, 3, MPI_DOUBLE, ranks - 1, 6, MPI_COMM_WORLD);
        MPI_Ssend(out, 15, type, ranks - 1, 7, MPI_COMM_WORLD);
    } else if (rank == ranks - 1) {
        double numbers[4] = {0};
        MPI_Recv(in, 2, rows, 0, 5, MPI_COMM_WORLD, &status);
        MPI_Get_count(&status, rows, &count);
        MPI_Get_elements(&status, rows, &elements);
        CHECK(count == 1 && elements == 5 * 3 * 8);
        for (int i = 0; i < 30; i++)
            bad += i % 6 < 3 ? !same_record(&in[i], &out[i]) : in[i].letter != 0;
        CHECK(!bad);
        MPI_Probe(0, 6, MPI_COMM_WORLD, &status);
        MPI_Get_count(&status, MPI_DOUBLE, &count);
        CHECK(count == 3);
        MPI_Recv(numbers, 2, pairs, 0, 6, MPI_COMM_WORLD, &status);
        MPI_Get_count(&status, pairs, &count);
        MPI_Get_elements(&status, pairs, &elements);
        CHECK(count == MPI_UNDEFINED && elements == 3);
        CHECK(numbers[0] == 1.5 && numbers[1] == 2.5 && numbers[2] == 3.5 && numbers[3] == 0);
        MPI_Recv(in, 1, rows, 0, 7, MPI_COMM_WORLD, &status);
        CHECK(same_record(&in[24], &out[12]) && same_record(&in[26], &out[14]));
    }
    MPI_Type_free(&rows);
    MPI_Type_free(&pairs);
}

/* Other ways to name the same rows. */
static void check_constructors(void)
{
    static int out[64], in[64];
    int sizes[] = {8, 8}, part[] = {2, 3}, first[] = {1, 4}, lengths[] = {2, 1}, places[] = {1, 5};
    MPI_Aint bytes[] = {8, 40};
    MPI_Datatype types[5];
    for (int i = 0; i < 64; i++)
        out[i] = 1000 * i + 7;
    MPI_Type_create_subarray(2, sizes, part, first, MPI_ORDER_C, MPI_INT, &types[0]);
    MPI_Type_indexed(2, lengths, places, MPI_INT, &types[1]);
    MPI_Type_create_hindexed(2, lengths, bytes, MPI_INT, &types[2]);
    MPI_Type_create_indexed_block(2, 2, places, MPI_INT, &types[3]);
    MPI_Type_create_hvector(3, 2, 16, MPI_2INT, &types[4]);
    for (int t = 0; t < 5; t++) {
        int size = 0, bad = 0, same = 0;
        MPI_Type_commit(&types[t]);
        MPI_Type_size(types[t], &size);
        memset(in, 0, sizeof in);
        if (rank == 0)
            MPI_Send(out, 1, types[t], ranks - 1, 8, MPI_COMM_WORLD);
        if (rank == ranks - 1) {
            MPI_Recv(in, 1, types[t], 0, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            for (int i = 0; i < 64; i++) {
                same += in[i] == out[i];
                bad += in[i] != out[i] && in[i] != 0;
            }
            CHECK(!bad && same * (int)sizeof(int) == size);
        }
        MPI_Type_free(&types[t]);
    }
}

/* What is packed for the communicator goes as it is; so do bytes. */
static void check_packed(MPI_Datatype type)
{
    enum { PACKED_ROOM = 4096 };
    static char packed[PACKED_ROOM];
    char bytes[4] = {1, 2, 3, 4};
    int position = 0, number = 0x01020304;
    Record one = record(0, 5), got;
    if (rank == 0) {
        MPI_Pack(&number, 1, MPI_INT, packed, PACKED_ROOM, &position, MPI_COMM_WORLD);
        CHECK(packed[0] == (external ? 1 : 4));
        MPI_Pack(&one, 1, type, packed, PACKED_ROOM, &position, MPI_COMM_WORLD);
        MPI_Send(packed, position, MPI_PACKED, ranks - 1, 9, MPI_COMM_WORLD);
        MPI_Send(bytes, 4, MPI_BYTE, ranks - 1, 10, MPI_COMM_WORLD);
    } else if (rank == ranks - 1) {
        number = 0;
        MPI_Recv(packed, PACKED_ROOM, MPI_PACKED, 0, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Unpack(packed, PACKED_ROOM, &position, &number, 1, MPI_INT, MPI_COMM_WORLD);
        MPI_Unpack(packed, PACKED_ROOM, &position, &got, 1, type, MPI_COMM_WORLD);
        CHECK(number == 0x01020304 && same_record(&got, &one));
        memset(bytes, 0, sizeof bytes);
        MPI_Recv(bytes, 4, MPI_BYTE, 0, 10, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        CHECK(bytes[0] == 1 && bytes[1] == 2 && bytes[2] == 3 && bytes[3] == 4);
    }
}

int main(int argc, char **argv)
{
    const MPI_Datatype type = begin(argc, argv);
    check_basic_types();
    check_long_doubles();
    check_records(type);
    check_parts(type);
    check_constructors();
    check_packed(type);
    return end(type);
}
