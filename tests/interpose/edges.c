/* What a program may do beside good collectives: errors in its own handler, calls at the wrong
 * time, intercommunicators, attributes, many communicators. */
#include "checks.h"

static int told;

static void handler(MPI_Comm *comm, int *code, ...)
{
    (void)comm, (void)code;
    told++;
}

static int copied;

static int count_copies(MPI_Comm comm, int key, void *extra, void *in, void *out, int *flag)
{
    (void)comm, (void)key, (void)extra, (void)in, (void)out;
    copied++;
    *flag = 0;
    return MPI_SUCCESS;
}

static void need(int holds, const char *what)
{
    checked++;
    if (!holds) {
        wrong++;
        fprintf(stderr, "not so: %s\n", what);
    }
}

static void check_errors(void)
{
    MPI_Comm comm;
    MPI_Errhandler ours;
    int data[4] = {0};
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_create_errhandler(handler, &ours);
    MPI_Comm_set_errhandler(comm, ours);
    need(MPI_Bcast(data, -1, MPI_INT, 0, comm) != MPI_SUCCESS, "a negative count is an error");
    need(MPI_Bcast(data, 1, MPI_INT, 99, comm) != MPI_SUCCESS, "a root that is not there is one");
    need(MPI_Allreduce(data, data + 1, 1, MPI_DATATYPE_NULL, MPI_SUM, comm) != MPI_SUCCESS,
         "no type is one");
    need(told == 3, "the communicator's handler was told of each");
    MPI_Errhandler_free(&ours);
    MPI_Comm_free(&comm);
}

static void check_intercommunicator(int rank, int ranks)
{
    MPI_Comm half, between;
    int mine = rank, got = -1;
    if (ranks < 2)
        return;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 5, &between);
    MPI_Allreduce(&mine, &got, 1, MPI_INT, MPI_MIN, between);
    need(got == 1 - rank % 2, "an intercommunicator gets the other group's least rank");
    MPI_Comm_free(&between), MPI_Comm_free(&half);
}

static void check_communicators(int ranks)
{
    int key, sum = 0, one = 1;
    MPI_Comm_create_keyval(count_copies, MPI_COMM_NULL_DELETE_FN, &key, NULL);
    MPI_Comm_set_attr(MPI_COMM_WORLD, key, &key);
    for (int i = 0; i < 300; i++) {
        MPI_Comm comm;
        MPI_Comm_split(MPI_COMM_WORLD, 0, 0, &comm);
        MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
        need(sum == ranks, "a communicator that comes and goes adds up");
        MPI_Comm_free(&comm);
    }
    need(copied == 0, "the program's attributes were not copied behind its back");
    MPI_Comm_delete_attr(MPI_COMM_WORLD, key);
}

int main(int argc, char **argv)
{
    int rank, ranks, started = 1, all_wrong = 0;
    MPI_Initialized(&started);
    need(!started, "not started yet");
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (argc > 1) /* this library checks arguments */
        check_errors();
    check_intercommunicator(rank, ranks);
    check_communicators(ranks);
    MPI_Allreduce(&wrong, &all_wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf("checked %d wrong %d\n", checked, all_wrong);
    MPI_Finalize();
    return all_wrong != 0;
}
