/* Collective operations of types with gaps, and of numbers of 8 bytes and more. With an argument
 * that says so their data are external32 on their way. */
#include "records.h"

typedef struct {
    double value;
    int index;
} DoubleInt;

static void check_moves(MPI_Datatype type)
{
    static Record all[64], own[64];
    for (int root = 0; root < ranks; root++) {
        Record one = record(root, 3);
        const Record wanted = one, mine = record(rank, 4);
        if (rank != root)
            memset(&one, 0, sizeof one);
        MPI_Bcast(&one, 1, type, root, MPI_COMM_WORLD);
        CHECK(same_record(&one, &wanted));
        MPI_Gather(&mine, 1, type, all, 1, type, root, MPI_COMM_WORLD);
        for (int r = 0; r < ranks && rank == root; r++) {
            const Record theirs = record(r, 4);
            CHECK(same_record(&all[r], &theirs));
        }
        for (int r = 0; r < ranks; r++)
            all[r] = record(root, r);
        memset(&one, 0, sizeof one);
        MPI_Scatter(all, 1, type, &one, 1, type, root, MPI_COMM_WORLD);
        CHECK(same_record(&one, &(Record[]){record(root, rank)}[0]));
    }
    for (int r = 0; r < ranks; r++)
        own[r] = record(rank, r);
    MPI_Alltoall(own, 1, type, all, 1, type, MPI_COMM_WORLD);
    for (int r = 0; r < ranks; r++) {
        const Record theirs = record(r, rank);
        CHECK(same_record(&all[r], &theirs));
    }
}

/* Plain types take no copy of the program's buffers by themselves, nor do operations in place. */
static void check_plain_moves(void)
{
    long own[64], all[64], sent[64];
    for (int r = 0; r < ranks; r++)
        own[r] = sent[r] = ((long)rank << 40) + r;
    MPI_Alltoall(own, 1, MPI_LONG, all, 1, MPI_LONG, MPI_COMM_WORLD);
    CHECK(memcmp(own, sent, (size_t)ranks * sizeof *own) == 0);
    for (int r = 0; r < ranks; r++)
        CHECK(all[r] == ((long)r << 40) + rank);
    MPI_Alltoall(MPI_IN_PLACE, 1, MPI_LONG, own, 1, MPI_LONG, MPI_COMM_WORLD);
    CHECK(memcmp(own, all, (size_t)ranks * sizeof *own) == 0);
    for (int r = 0; r < ranks; r++)
        all[r] = r == rank ? 7000 + r : -1;
    MPI_Allgather(MPI_IN_PLACE, 1, MPI_LONG, all, 1, MPI_LONG, MPI_COMM_WORLD);
    for (int r = 0; r < ranks; r++)
        CHECK(all[r] == 7000 + r);
    for (int root = 0; root < ranks; root++) {
        long one = 300 + rank;
        const bool here = rank == root;
        all[root] = one;
        MPI_Gather(here ? MPI_IN_PLACE : &one, 1, MPI_LONG, all, 1, MPI_LONG, root, MPI_COMM_WORLD);
        for (int r = 0; r < ranks && here; r++)
            CHECK(all[r] == 300 + r);
        MPI_Scatter(all, 1, MPI_LONG, here ? MPI_IN_PLACE : &one, 1, MPI_LONG, root,
                    MPI_COMM_WORLD);
        CHECK(one == 300 + rank && (!here || all[rank] == 300 + rank));
        one = here ? 99 : 0;
        MPI_Bcast(&one, 1, MPI_LONG, root, MPI_COMM_WORLD);
        CHECK(one == 99);
    }
}

/* Longer than what comes at once, and so in parts by several hosts. */
static void check_long_moves(void)
{
    enum { LONG = 700000 };
    double *numbers = malloc(LONG * sizeof *numbers);
    int bad = 0;
    for (int i = 0; i < LONG; i++)
        numbers[i] = rank == 0 ? i + 0.5 : 0;
    MPI_Bcast(numbers, LONG, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    for (int i = 0; i < LONG; i++)
        bad += numbers[i] != i + 0.5;
    MPI_Allreduce(MPI_IN_PLACE, numbers, LONG, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < LONG; i++)
        bad += numbers[i] != ranks * (i + 0.5);
    CHECK(!bad);
    if (rank == 0)
        MPI_Send(numbers, LONG, MPI_DOUBLE, ranks - 1, 11, MPI_COMM_WORLD);
    if (rank == ranks - 1) {
        memset(numbers, 0, LONG * sizeof *numbers);
        MPI_Recv(numbers, LONG, MPI_DOUBLE, 0, 11, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int i = 0; i < LONG; i++)
            bad += numbers[i] != ranks * (i + 0.5);
        CHECK(!bad);
    }
    free(numbers);
}

static void add_longs(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *count; i++)
        ((long *)inout)[i] += ((long *)in)[i];
}

static void check_reductions(void)
{
    const int sum = ranks * (ranks - 1) / 2;
    const double number = rank + 0.25;
    const long mine = ((long)rank << 33) + 1;
    double total = 0;
    long longs = 0, before = -1;
    DoubleInt pair = {rank == ranks - 1 ? 99.5 : rank, rank}, most;
    MPI_Op adds;
    MPI_Allreduce(&number, &total, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    CHECK(total == sum + ranks * 0.25);
    MPI_Allreduce(&pair, &most, 1, MPI_DOUBLE_INT, MPI_MAXLOC, MPI_COMM_WORLD);
    CHECK(most.value == 99.5 && most.index == ranks - 1);
    MPI_Op_create(add_longs, 1, &adds);
    MPI_Allreduce(&mine, &longs, 1, MPI_LONG, adds, MPI_COMM_WORLD);
    CHECK(longs == ((long)sum << 33) + ranks);
    MPI_Op_free(&adds);
    longs = 0;
    MPI_Reduce(&mine, &longs, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    CHECK(rank || longs == ((long)sum << 33) + ranks);
    MPI_Scan(&mine, &before, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    CHECK(before == ((long)(rank * (rank + 1) / 2) << 33) + rank + 1);
    long double wide = rank / 4.0L, widest = -1;
    MPI_Allreduce(&wide, &widest, 1, MPI_LONG_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    CHECK(widest == (ranks - 1) / 4.0L);
}

#ifdef NONBLOCKING_COLLECTIVES
static void check_nonblocking(MPI_Datatype type)
{
    Record one = record(1, 9), mine = record(rank, 2), *all = calloc((size_t)ranks, sizeof *all);
    const Record wanted = one;
    MPI_Request requests[2];
    MPI_Datatype copy;
    MPI_Type_dup(type, &copy);
    if (rank != 1)
        memset(&one, 0, sizeof one);
    MPI_Ibcast(&one, 1, copy, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Iallgather(&mine, 1, copy, all, 1, copy, MPI_COMM_WORLD, &requests[1]);
    MPI_Type_free(&copy);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    CHECK(same_record(&one, &wanted));
    for (int r = 0; r < ranks; r++) {
        const Record theirs = record(r, 2);
        CHECK(same_record(&all[r], &theirs));
    }
    free(all);
}
#endif

/* How data go: no program of MPI may ask for them so. */
static void check_way(void)
{
    int number = 0x01020304;
    char bytes[4] = {0};
    if (rank == 0)
        MPI_Bcast(&number, 1, MPI_INT, 0, MPI_COMM_WORLD);
    else
        MPI_Bcast(bytes, 4, MPI_BYTE, 0, MPI_COMM_WORLD);
    CHECK(number == 0x01020304);
    CHECK(rank == 0 || bytes[0] == (external ? 1 : 4));
}

int main(int argc, char **argv)
{
    const MPI_Datatype type = begin(argc, argv);
    check_way();
    check_moves(type);
    check_plain_moves();
    check_long_moves();
    check_reductions();
#ifdef NONBLOCKING_COLLECTIVES
    check_nonblocking(type);
#endif
    return end(type);
}
