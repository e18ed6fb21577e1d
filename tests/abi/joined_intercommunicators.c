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
    MPI_Comm_free(&twin), MPI_Comm_free(&inter);
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
