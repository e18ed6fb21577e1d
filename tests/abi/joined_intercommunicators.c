/* Two groups that talk to each other, whichever sites their ranks are in. */
#include "traps.h"

static int rank, ranks;

/* Each rank to each of the other group, received from anybody and from a certain one; what comes
 * tells who sent it. */
static void check_messages(MPI_Comm inter, int side)
{
    int me, mine, theirs, got, bad = 0, flag, word[2];
    MPI_Request *requests;
    MPI_Status status;
    MPI_Comm_rank(inter, &me);
    MPI_Comm_size(inter, &mine);
    MPI_Comm_remote_size(inter, &theirs);
    MPI_Comm_test_inter(inter, &flag);
    CHECK(flag);
    requests = malloc((size_t)theirs * sizeof *requests);
    word[0] = side, word[1] = me;
    for (int way = 0; way < 2; way++) {
        for (int r = 0; r < theirs; r++)
            MPI_Isend(word, 2, MPI_INT, r, 7 + way, inter, &requests[r]);
        for (int r = 0; r < theirs; r++) {
            int from[2] = {-1, -1};
            MPI_Recv(from, 2, MPI_INT, way ? r : MPI_ANY_SOURCE, 7 + way, inter, &status);
            MPI_Get_count(&status, MPI_INT, &got);
            bad += from[0] != !side || from[1] != status.MPI_SOURCE || got != 2;
        }
        MPI_Waitall(theirs, requests, MPI_STATUSES_IGNORE);
    }
    CHECK(!bad);
    free(requests);
}

/* What the rank at this place of that group has at this place. */
static int value(int side, int from, int at)
{
    return 1000 * (side + 1) + 10 * from + at;
}

enum { N = 3 };

/* Operations with a root, which is each rank of each group in turn: as `root` names it to all. */
static void check_rooted(MPI_Comm inter, int side, int me, int mine, int theirs, int root)
{
    int own[N], got[N], *all = calloc((size_t)theirs * N, sizeof *all), bad = 0, total = 0;
    int counts[64], starts[64];
    const int is = root == MPI_ROOT, asked = root >= 0;
    for (int i = 0; i < N; i++)
        own[i] = value(side, me, i), got[i] = -1;
    MPI_Bcast(is ? own : got, N, MPI_INT, root, inter);
    for (int i = 0; i < N; i++)
        bad += asked ? got[i] != value(!side, root, i) : got[i] != -1;
    CHECK(!bad);
    MPI_Reduce(own, got, N, MPI_INT, MPI_SUM, root, inter);
    for (int i = 0; i < N && is; i++, total = 0) {
        for (int r = 0; r < theirs; r++)
            total += value(!side, r, i);
        bad += got[i] != total;
    }
    CHECK(!bad);
    MPI_Gather(own, N, MPI_INT, all, N, MPI_INT, root, inter);
    for (int i = 0; i < N * theirs && is; i++)
        bad += all[i] != value(!side, i / N, i % N);
    for (int r = 0; r < theirs; r++) /* turned round */
        counts[r] = 1 + r % N, starts[r] = (theirs - 1 - r) * N;
    for (int i = 0; i < N * theirs; i++)
        all[i] = is ? value(side, me, i / N) : -1;
    got[1] = -1;
    MPI_Scatterv(all, counts, starts, MPI_INT, got, 1 + me % N, MPI_INT, root, inter);
    if (asked)
        bad += got[me % N] != value(!side, root, mine - 1 - me);
    MPI_Gatherv(own, 1 + me % N, MPI_INT, all, counts, starts, MPI_INT, root, inter);
    for (int r = 0; r < theirs && is; r++)
        for (int i = 0; i < counts[r]; i++)
            bad += all[starts[r] + i] != value(!side, r, i);
    CHECK(!bad);
    free(all);
}

static void check_rooted_by_all(MPI_Comm inter, int side, int me, int mine, int theirs)
{
    for (int group = 0; group < 2; group++)
        for (int r = 0; r < (group == side ? mine : theirs); r++)
            check_rooted(inter, side, me, mine, theirs,
                         group != side ? r
                         : r == me     ? MPI_ROOT
                                       : MPI_PROC_NULL);
}

static void check_unrooted(MPI_Comm inter, int side, int me, int mine, int theirs)
{
    const int most = mine > theirs ? mine : theirs;
    int *out = malloc((size_t)(most * most + N) * sizeof *out), own[N], got[N + 64], bad = 0;
    int *in = malloc((size_t)(most * N + 1) * sizeof *in), counts[64], total = 0;
    for (int i = 0; i < N; i++)
        own[i] = value(side, me, i);
    MPI_Allreduce(own, got, N, MPI_INT, MPI_SUM, inter);
    for (int i = 0; i < N; i++, total = 0) {
        for (int r = 0; r < theirs; r++)
            total += value(!side, r, i);
        bad += got[i] != total;
    }
    CHECK(!bad);
    MPI_Allgather(own, N, MPI_INT, in, N, MPI_INT, inter);
    for (int i = 0; i < N * theirs; i++)
        bad += in[i] != value(!side, i / N, i % N);
    CHECK(!bad);
    for (int i = 0; i < theirs; i++)
        out[i] = value(side, me, i);
    MPI_Alltoall(out, 1, MPI_INT, in, 1, MPI_INT, inter);
    for (int r = 0; r < theirs; r++)
        bad += in[r] != value(!side, r, me);
    CHECK(!bad);
    for (int i = 0; i < mine * theirs; i++) /* so that both groups reduce as many */
        out[i] = value(side, me, i);
    MPI_Reduce_scatter_block(out, got, theirs, MPI_INT, MPI_SUM, inter);
    for (int r = 0; r < mine; r++)
        counts[r] = theirs;
    for (int way = 0; way < 2; way++) {
        for (int i = total = 0; i < theirs; i++, total = 0) {
            for (int r = 0; r < theirs; r++)
                total += value(!side, r, me * theirs + i);
            bad += got[i] != total;
        }
        if (!way)
            MPI_Reduce_scatter(out, got, counts, MPI_INT, MPI_SUM, inter);
    }
    CHECK(!bad);
    MPI_Barrier(inter);
    free(out);
    free(in);
}

/* Several at once, ended in the other order; and the same request again and again. */
static void check_nonblocking(MPI_Comm inter, int side, int me, int mine, int theirs)
{
    int own = value(side, me, 0), sum = -1, from = -1, expected = 0, bad = 0;
    int *all = malloc((size_t)theirs * sizeof *all);
    MPI_Request requests[4];
    const int root = side ? 0 : me == 0 ? MPI_ROOT : MPI_PROC_NULL;
    (void)mine;
    for (int r = 0; r < theirs; r++)
        expected += value(!side, r, 0);
#ifdef NONBLOCKING_COLLECTIVES
    MPI_Iallreduce(&own, &sum, 1, MPI_INT, MPI_SUM, inter, &requests[0]);
    MPI_Ibcast(root == MPI_ROOT ? &own : &from, 1, MPI_INT, root, inter, &requests[1]);
    MPI_Iallgather(&own, 1, MPI_INT, all, 1, MPI_INT, inter, &requests[2]);
    MPI_Ibarrier(inter, &requests[3]);
    for (int i = 3; i >= 0; i--)
        MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
    for (int r = 0; r < theirs; r++)
        bad += all[r] != value(!side, r, 0);
    CHECK(!bad && sum == expected && (!side || from == value(0, 0, 0)));
#endif
#ifdef LARGE_COUNTS
    MPI_Allreduce_init(&own, &sum, 1, MPI_INT, MPI_SUM, inter, MPI_INFO_NULL, &requests[0]);
    MPI_Reduce_init(&own, &from, 1, MPI_INT, MPI_MAX, root, inter, MPI_INFO_NULL, &requests[1]);
    for (int i = 0; i < 2; i++) {
        sum = from = -1;
        MPI_Startall(2, requests);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        CHECK(sum == expected);
        CHECK(from == (root == MPI_ROOT ? value(1, theirs - 1, 0) : -1));
    }
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
#endif
    free(all);
}

static void check_collectives(MPI_Comm inter, int side)
{
    int me, mine, theirs;
    MPI_Comm_rank(inter, &me);
    MPI_Comm_size(inter, &mine);
    MPI_Comm_remote_size(inter, &theirs);
    check_rooted_by_all(inter, side, me, mine, theirs);
    check_unrooted(inter, side, me, mine, theirs);
    check_nonblocking(inter, side, me, mine, theirs);
}

/* The groups as the program sees them, and all ranks in one communicator again. */
static void check_groups(MPI_Comm inter, int side, int size, int other_size)
{
    MPI_Group group, remote, both;
    MPI_Comm merged;
    int mine, theirs, me, all, sum, same, inside;
    MPI_Comm_group(inter, &group);
    MPI_Comm_remote_group(inter, &remote);
    MPI_Group_size(group, &mine);
    MPI_Group_size(remote, &theirs);
    CHECK(mine == size && theirs == other_size);
    MPI_Group_rank(group, &inside);
    MPI_Comm_rank(inter, &me);
    CHECK(inside == me);
    MPI_Group_rank(remote, &inside);
    CHECK(inside == MPI_UNDEFINED);
    MPI_Group_union(group, remote, &both);
    for (int high = 0; high < 2; high++) {
        MPI_Intercomm_merge(inter, side ? high : !high, &merged);
        MPI_Comm_size(merged, &all);
        MPI_Comm_rank(merged, &inside);
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, merged);
        CHECK(all == size + other_size && inside == (side == high ? other_size + me : me));
        MPI_Comm_group(merged, &remote);
        MPI_Group_compare(remote, both, &same);
        CHECK(same != MPI_UNEQUAL);
        MPI_Comm_free(&merged);
    }
    MPI_Group_free(&group), MPI_Group_free(&remote), MPI_Group_free(&both);
}

/* Two groups of these colors, led by their last ranks, and what comes of them. */
static void check_pair(int side)
{
    MPI_Comm part, inter, twin, parts;
    int size, all = ranks, leader, same, me, expected[2] = {0, 0};
    MPI_Comm_split(MPI_COMM_WORLD, side, 0, &part);
    MPI_Comm_size(part, &size);
    leader = rank;
    MPI_Bcast(&leader, 1, MPI_INT, size - 1, part);
    int leaders[2] = {-1, -1};
    leaders[side] = leader;
    MPI_Allreduce(MPI_IN_PLACE, leaders, 2, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    MPI_Intercomm_create(part, size - 1, MPI_COMM_WORLD, leaders[!side], 5, &inter);
    MPI_Comm_free(&part);
    check_messages(inter, side);
    check_collectives(inter, side);
    check_groups(inter, side, size, all - size);
    MPI_Comm_dup(inter, &twin);
    MPI_Comm_compare(inter, twin, &same);
    CHECK(same == MPI_CONGRUENT);
    check_messages(twin, side);
    MPI_Comm_rank(inter, &me);
    MPI_Comm_split(inter, me % 2, -me, &parts); /* turned round, and each half by itself */
    expected[0] = (size + !(me % 2)) / 2;
    expected[1] = (all - size + !(me % 2)) / 2;
    CHECK((parts == MPI_COMM_NULL) == (expected[1] == 0));
    if (parts != MPI_COMM_NULL) {
        MPI_Comm_size(parts, &size);
        MPI_Comm_rank(parts, &same);
        CHECK(size == expected[0] && same == size - 1 - me / 2);
        check_messages(parts, side);
        MPI_Comm_free(&parts);
    }
    MPI_Comm_free(&twin);
#ifdef NONBLOCKING_COLLECTIVES
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Comm_set_errhandler(inter, MPI_ERRORS_RETURN);
    int old = MPI_Comm_idup(inter, &twin, &request) != MPI_SUCCESS;
    old |= MPI_Wait(&request, MPI_STATUS_IGNORE) != MPI_SUCCESS;
    lacking += old;
    MPI_Allreduce(MPI_IN_PLACE, &old, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (!old) {
        MPI_Comm_compare(inter, twin, &same);
        CHECK(same == MPI_CONGRUENT);
        check_messages(twin, side);
        MPI_Comm_free(&twin);
    }
#endif
    MPI_Comm_free(&inter);
}

/* Only the processes of the group call it: all but one, the last one first. */
static void check_group_alone(void)
{
    int *chosen = malloc((size_t)ranks * sizeof *chosen), sum, me;
    MPI_Group world, group;
    MPI_Comm made;
    for (int i = 0; i < ranks - 1; i++)
        chosen[i] = ranks - 1 - i;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, ranks - 1, chosen, &group);
    if (rank) {
        MPI_Comm_create_group(MPI_COMM_WORLD, group, 3, &made);
        MPI_Comm_rank(made, &me);
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, made);
        CHECK(sum == ranks * (ranks - 1) / 2 && me == ranks - 1 - rank);
        MPI_Comm_free(&made);
    }
    MPI_Group_free(&world), MPI_Group_free(&group);
    MPI_Barrier(MPI_COMM_WORLD);
    free(chosen);
}

/* Only the first two take part, which may be in one site. */
static void check_two(void)
{
    MPI_Comm alone, inter;
    MPI_Comm_split(MPI_COMM_WORLD, rank, 0, &alone);
    if (rank < 2) {
        MPI_Intercomm_create(alone, 0, MPI_COMM_WORLD, !rank, 9, &inter);
        check_messages(inter, rank);
        check_groups(inter, rank, 1, 1);
        MPI_Comm_free(&inter);
    }
    MPI_Comm_free(&alone);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    check_pair(rank % 2); /* both groups have ranks of several sites */
    check_pair(rank >= ranks / 2);
    check_pair(rank != 0);        /* one is in one site */
    check_pair(rank < ranks - 1); /* the first group comes last */
    check_group_alone();
    check_two();
    report();
    MPI_Finalize();
    return 0;
}
