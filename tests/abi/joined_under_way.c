/* What programs may do while operations are under way, or before they are started: free what these
 * were given, start them in another order than other ranks do, begin many more, probe for other
 * messages, wait inside the site for what has to do with another one.
 */
#include "traps.h"
#include <unistd.h>

enum { LENGTH = 20, TYPES = 64, CALLS = 130, LONG_BYTES = 8 << 20, PROBES = 60 };

static int rank, ranks;

static void add_pairs(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < 2 * *count; i++)
        ((int *)inout)[i] += ((int *)in)[i];
}

/* Handles of types and operations that have been freed are likely to become these. */
static void make_others(MPI_Datatype types[TYPES], MPI_Op *op)
{
    for (int i = 0; i < TYPES; i++) {
        MPI_Type_vector(2, 1, 3, MPI_CHAR, &types[i]);
        MPI_Type_commit(&types[i]);
    }
    MPI_Op_create(add_pairs, 1, op);
}

static void free_others(MPI_Datatype types[TYPES], MPI_Op *op)
{
    for (int i = 0; i < TYPES; i++)
        MPI_Type_free(&types[i]);
    MPI_Op_free(op);
}

static MPI_Datatype pair_type(void)
{
    MPI_Datatype pair;
    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_commit(&pair);
    return pair;
}

/* Only the calls that make persistent operations come in the same order on all ranks. */
static void check_persistent_order(void)
{
    int first = 1 + rank, second = 100, sum = -1, got = -1;
    MPI_Request r[2];
    got = rank == 0 ? second : -1;
    if (!WORKS(MPI_Allreduce_init(&first, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL,
                                  &r[0])))
        return;
    MPI_Bcast_init(&got, 1, MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &r[1]);
    for (int round = 0; round < 3; round++) {
        sum = -1, got = rank == 0 ? second + round : -1;
        MPI_Start(&r[rank % 2]);
        MPI_Start(&r[1 - rank % 2]);
        MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
        CHECK(sum == ranks * (ranks + 1) / 2 && got == second + round);
    }
    MPI_Request_free(&r[0]), MPI_Request_free(&r[1]);
}

/* Types and operations that were freed after a persistent operation was made. */
static void check_freed_before_the_start(void)
{
    const int to = (rank + 1) % ranks, from = (rank + ranks - 1) % ranks;
    int out[LENGTH], in[LENGTH], sums[LENGTH];
    MPI_Datatype gaps, pair = pair_type(), others[TYPES];
    MPI_Op add, other;
    MPI_Request r[3];
    for (int i = 0; i < LENGTH; i++)
        out[i] = 100 * rank + i;
    MPI_Type_vector(5, 1, 2, MPI_INT, &gaps);
    MPI_Type_commit(&gaps);
    MPI_Op_create(add_pairs, 1, &add);
    MPI_Send_init(out, 1, gaps, to, 1, MPI_COMM_WORLD, &r[0]);
    MPI_Recv_init(in, 1, gaps, from, 1, MPI_COMM_WORLD, &r[1]);
    if (!WORKS(MPI_Allreduce_init(out, sums, LENGTH / 2, pair, add, MPI_COMM_WORLD, MPI_INFO_NULL,
                                  &r[2])))
        r[2] = MPI_REQUEST_NULL;
    const int started = r[2] == MPI_REQUEST_NULL ? 2 : 3;
    MPI_Type_free(&gaps), MPI_Type_free(&pair), MPI_Op_free(&add);
    CHECK(gaps == MPI_DATATYPE_NULL && add == MPI_OP_NULL);
    make_others(others, &other);
    for (int round = 0; round < 2; round++) {
        memset(in, 0, sizeof in);
        memset(sums, 0, sizeof sums);
        MPI_Startall(started, r);
        MPI_Waitall(started, r, MPI_STATUSES_IGNORE);
        for (int i = 0; i < 10; i++)
            CHECK(in[i] == (i % 2 ? 0 : 100 * from + i));
        for (int i = 0; i < LENGTH && started == 3; i++)
            CHECK(sums[i] == 100 * (ranks * (ranks - 1) / 2) + ranks * i);
    }
    for (int i = 0; i < started; i++)
        MPI_Request_free(&r[i]);
    free_others(others, &other);
}

/* The first is long, so that all of them are under way for a while. */
static void check_many(void)
{
    char *big = calloc(1, LONG_BYTES);
    int small[CALLS];
    MPI_Request r[CALLS];
    if (rank == 0)
        memset(big, 'B', LONG_BYTES);
    for (int i = 0; i < CALLS; i++)
        small[i] = rank == 0 ? 1000 + i : -1;
    MPI_Ibcast(big, LONG_BYTES, MPI_CHAR, 0, MPI_COMM_WORLD, &r[0]);
    for (int i = 1; i < CALLS; i++)
        MPI_Ibcast(&small[i], 1, MPI_INT, 0, MPI_COMM_WORLD, &r[i]);
    MPI_Waitall(CALLS, r, MPI_STATUSES_IGNORE);
    int bad = 0;
    for (int i = 1; i < CALLS; i++)
        bad += small[i] != 1000 + i;
    for (int i = 0; i < LONG_BYTES; i++)
        bad += big[i] != 'B';
    CHECK(bad == 0);
    free(big);
}

/* Rank 0 begins all of its calls before another rank begins any, and frees their type. */
static void check_many_before_others_begin(void)
{
    int out[64], in[64], bad = 0, counts[64], starts[64], token = 0;
    MPI_Datatype types[64], number;
    MPI_Request r[CALLS];
    MPI_Comm half, inter;
    int shared[CALLS];
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 9, &inter);
    for (int kind = 0; kind < 2; kind++) {
        MPI_Type_contiguous(1, MPI_INT, &number);
        MPI_Type_commit(&number);
        for (int i = 0; i < ranks; i++)
            out[i] = 10 * rank + i, in[i] = -1, counts[i] = 1, types[i] = number,
            starts[i] = i * (int)sizeof(int);
        if (rank > 0)
            MPI_Recv(&token, 1, MPI_INT, 0, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int i = 0; i < CALLS; i++) {
            shared[i] = rank % 2 ? -1 : i;
            if (kind == 0)
                MPI_Ialltoallw(out, counts, starts, types, in, counts, starts, types,
                               MPI_COMM_WORLD, &r[i]);
            else
                MPI_Ibcast(&shared[i], 1, number,
                           rank == 0       ? MPI_ROOT
                           : rank % 2 == 0 ? MPI_PROC_NULL
                                           : 0,
                           inter, &r[i]);
        }
        MPI_Type_free(&number);
        for (int i = 1; rank == 0 && i < ranks; i++)
            MPI_Send(&token, 1, MPI_INT, i, 6, MPI_COMM_WORLD);
        MPI_Waitall(CALLS, r, MPI_STATUSES_IGNORE);
        for (int i = 0; kind == 0 && i < ranks; i++)
            bad += in[i] != 10 * i + rank;
        for (int i = 0; kind == 1 && i < CALLS; i++)
            bad += shared[i] != i;
    }
    CHECK(bad == 0);
    MPI_Comm_free(&inter), MPI_Comm_free(&half);
}

static void check_freed_between_groups(void)
{
    int out[LENGTH], in[LENGTH], expected = 0, others_count = 0;
    MPI_Comm half, inter;
    MPI_Datatype pair = pair_type(), others[TYPES];
    MPI_Op add, other;
    MPI_Request r;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 9, &inter);
    for (int i = 1 - rank % 2; i < ranks; i += 2)
        expected += 100 * i, others_count++;
    for (int i = 0; i < LENGTH; i++)
        out[i] = 100 * rank + i, in[i] = -1;
    MPI_Op_create(add_pairs, 1, &add);
    MPI_Iallreduce(out, in, LENGTH / 2, pair, add, inter, &r);
    MPI_Op_free(&add), MPI_Type_free(&pair);
    make_others(others, &other);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    for (int i = 0; i < LENGTH; i++)
        CHECK(in[i] == expected + others_count * i);
    free_others(others, &other);
    MPI_Comm_free(&inter), MPI_Comm_free(&half);
}

/* Rank 0 has a receive posted for the first of two messages; a probe must show the second one. */
static void check_probes(void)
{
    int wrong_ones = 0;
    for (int i = 0; i < PROBES; i++) {
        int first = 0, second[2] = {0, 0}, count = -1, flag = 0;
        MPI_Request r;
        MPI_Status status;
        MPI_Message message;
        if (rank == 0)
            MPI_Irecv(&first, 1, MPI_INT, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &r);
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == 1) {
            const int one = 1, two[2] = {2, 2};
            usleep(300); /* so that rank 0 looks meanwhile */
            MPI_Send(&one, 1, MPI_INT, 0, 5, MPI_COMM_WORLD);
            usleep(2000);
            MPI_Send(two, 2, MPI_INT, 0, 5, MPI_COMM_WORLD);
        }
        if (rank != 0)
            continue;
        const int source = i % 2 ? 1 : MPI_ANY_SOURCE;
        if (i % 3 == 0)
            MPI_Probe(source, 5, MPI_COMM_WORLD, &status);
        else if (i % 3 == 1)
            MPI_Mprobe(source, 5, MPI_COMM_WORLD, &message, &status);
        while (i % 3 == 2 && !flag)
            MPI_Iprobe(source, 5, MPI_COMM_WORLD, &flag, &status);
        MPI_Get_count(&status, MPI_INT, &count);
        if (i % 3 == 1)
            MPI_Mrecv(second, 2, MPI_INT, &message, MPI_STATUS_IGNORE);
        else
            MPI_Recv(second, 2, MPI_INT, status.MPI_SOURCE, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Wait(&r, MPI_STATUS_IGNORE);
        wrong_ones += count != 2 || first != 1 || second[0] != 2;
    }
    CHECK(wrong_ones == 0);
}

typedef enum { RECEIVE, PROBE, MAKE, WAYS } Way;

/* Rank 0 waits for rank 1, which waits for rank 2, which waits for rank 0's long message. Those of
 * a site are in one communicator of its own. */
static void check_waiting_inside(Way way)
{
    char *big = calloc(1, LONG_BYTES);
    int token = -1;
    MPI_Comm part, twin = MPI_COMM_NULL;
    MPI_Request r = MPI_REQUEST_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, rank < 2 ? 0 : rank, rank, &part);
    if (rank == 0)
        MPI_Isend(big, LONG_BYTES, MPI_CHAR, 2, 1, MPI_COMM_WORLD, &r);
    if (rank == 2) {
        MPI_Recv(big, LONG_BYTES, MPI_CHAR, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(&rank, 1, MPI_INT, 1, 3, MPI_COMM_WORLD);
    }
    if (rank == 1) {
        MPI_Recv(&token, 1, MPI_INT, 2, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(&token, 1, MPI_INT, 0, 2, part);
    }
    if (way == MAKE && rank < 2)
        MPI_Comm_dup(part, &twin);
    if (way == PROBE && rank == 0)
        MPI_Probe(1, 2, part, MPI_STATUS_IGNORE);
    if (rank == 0) {
        MPI_Recv(&token, 1, MPI_INT, 1, 2, part, MPI_STATUS_IGNORE);
        MPI_Wait(&r, MPI_STATUS_IGNORE);
    }
    CHECK(rank > 1 || token == 2);
    if (twin != MPI_COMM_NULL)
        MPI_Comm_free(&twin);
    MPI_Comm_free(&part);
    free(big);
}

typedef enum { MEET, SHARE, DUPLICATE, COLLECTIVES } Inside;

/* The first rank of a site comes to its collective operation while one across sites is under way,
 * for which the others wait before they come. Only there those of a site are in a communicator. */
static void check_collectives_inside(Inside what)
{
    enum { MANY = 1 << 20 };
    int *in = malloc(MANY * sizeof *in), *out = calloc(MANY, sizeof *out), place = 0, shared = 0;
    MPI_Comm site = MPI_COMM_NULL, twin = MPI_COMM_NULL;
    MPI_Request r;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (!WORKS(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &site)))
        site = MPI_COMM_SELF;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    MPI_Comm_rank(site, &place);
    for (int i = 0; i < MANY; i++)
        in[i] = rank + i;
    MPI_Iallreduce(in, out, MANY, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &r);
    if (place > 0)
        MPI_Wait(&r, MPI_STATUS_IGNORE);
    if (what == MEET)
        MPI_Barrier(site);
    if (what == SHARE)
        MPI_Allreduce(&rank, &shared, 1, MPI_INT, MPI_MIN, site);
    if (what == DUPLICATE)
        MPI_Comm_dup(site, &twin);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    CHECK(out[0] == ranks * (ranks - 1) / 2 && out[MANY - 1] == out[0] + ranks * (MANY - 1));
    CHECK(what != SHARE || shared == rank - place);
    if (twin != MPI_COMM_NULL)
        MPI_Comm_free(&twin);
    if (site != MPI_COMM_SELF)
        MPI_Comm_free(&site);
    free(in), free(out);
}

static void check_copy_under_way(void)
{
    MPI_Comm copy, twin;
    MPI_Request r;
    int here = WORKS(MPI_Comm_idup(MPI_COMM_WORLD, &copy, &r)), everywhere, sum;
    MPI_Comm_dup(MPI_COMM_WORLD, &twin);
    MPI_Allreduce(&here, &everywhere, 1, MPI_INT, MPI_MIN, twin);
    MPI_Comm_free(&twin);
    if (!everywhere)
        return;
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, copy);
    CHECK(sum == ranks * (ranks - 1) / 2);
    MPI_Comm_free(&copy);
}

/* Which processes are in one is known to these alone. */
static void check_groups_one_after_another(void)
{
    unsigned seed = 1;
    MPI_Group all;
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    for (int turn = 0; turn < 12; turn++) {
        int members[64], count = 0, in = 0, sum = -1;
        for (int r = 0; r < ranks; r++) {
            seed = seed * 1103515245u + 12345u;
            if (seed >> 16 & 1)
                in |= r == rank, members[count++] = r;
        }
        if (!in)
            continue;
        MPI_Group some;
        MPI_Comm comm;
        MPI_Group_incl(all, count, members, &some);
        MPI_Comm_create_group(MPI_COMM_WORLD, some, turn, &comm);
        MPI_Allreduce(&turn, &sum, 1, MPI_INT, MPI_SUM, comm);
        CHECK(sum == turn * count);
        MPI_Comm_free(&comm), MPI_Group_free(&some);
    }
    MPI_Group_free(&all);
}

/* The last that rank 0 does: rank 1 can only send on when rank 0's MPI_Finalize lets it receive. */
static void send_and_forget(char *big)
{
    int token = 1;
    MPI_Request r;
    if (rank == 0) {
        MPI_Isend(big, LONG_BYTES, MPI_CHAR, 1, 1, MPI_COMM_WORLD, &r);
        MPI_Request_free(&r);
    }
    if (rank == 1) {
        MPI_Recv(big, LONG_BYTES, MPI_CHAR, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(&token, 1, MPI_INT, 2, 2, MPI_COMM_WORLD);
    }
    if (rank == 2)
        MPI_Recv(&token, 1, MPI_INT, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    check_persistent_order();
    check_freed_before_the_start();
    check_many();
    check_many_before_others_begin();
    check_freed_between_groups();
    check_probes();
    for (Way way = RECEIVE; way < WAYS; way++)
        check_waiting_inside(way);
    for (Inside what = MEET; what < COLLECTIVES; what++)
        check_collectives_inside(what);
    check_copy_under_way();
    check_groups_one_after_another();
    report();
    char *big = calloc(1, LONG_BYTES);
    send_and_forget(big);
    MPI_Finalize();
    free(big);
    return wrong != 0;
}
