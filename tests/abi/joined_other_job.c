/* Two jobs that find each other by a name and become an intercommunicator, several times: `serve
 * NAME FILE` lets in who comes, and ends only when there is such a file; `visit NAME` comes;
 * `vanish NAME` lets one in and is gone. */
#include "traps.h"
#include <unistd.h>

enum { ROUNDS = 2, LONG_BYTES = 5 << 20 };

static int rank, ranks, serves, vanishes;

/* What this rank of that job sends. */
static int value(int of_server, int of_rank)
{
    return 100 * (of_server + 1) + of_rank;
}

static void check_messages(MPI_Comm inter, int me, int theirs)
{
    int own = value(serves, me), got, bad = 0, count;
    MPI_Request *requests = malloc((size_t)theirs * sizeof *requests);
    MPI_Status status;
    for (int r = 0; r < theirs; r++)
        MPI_Isend(&own, 1, MPI_INT, r, 7, inter, &requests[r]);
    for (int r = 0; r < theirs; r++) {
        MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 7, inter, &status);
        bad += got != value(!serves, status.MPI_SOURCE);
    }
    MPI_Waitall(theirs, requests, MPI_STATUSES_IGNORE);
    CHECK(!bad);
    char *data = calloc(1, LONG_BYTES);
    if (me == 0 && serves) {
        data[LONG_BYTES - 1] = 17;
        MPI_Send(data, LONG_BYTES, MPI_BYTE, theirs - 1, 8, inter);
    } else if (me == ranks - 1 && !serves) {
        MPI_Recv(data, LONG_BYTES, MPI_BYTE, 0, 8, inter, &status);
        MPI_Get_count(&status, MPI_BYTE, &count);
        CHECK(count == LONG_BYTES && data[LONG_BYTES - 1] == 17);
    }
    free(data);
    free(requests);
}

static void check_collectives(MPI_Comm inter, int me, int theirs)
{
    int own = value(serves, me), sum = -1, expected = 0, root, word;
    for (int r = 0; r < theirs; r++)
        expected += value(!serves, r);
    MPI_Allreduce(&own, &sum, 1, MPI_INT, MPI_SUM, inter);
    CHECK(sum == expected);
    root = !serves ? 1 : me == 1 ? MPI_ROOT : MPI_PROC_NULL;
    word = root == MPI_ROOT ? 4711 : -1;
    MPI_Bcast(&word, 1, MPI_INT, root, inter);
    CHECK(word == (root == MPI_PROC_NULL ? -1 : 4711));
}

/* All processes of both jobs in one communicator, and parts of it. */
static void check_merged(MPI_Comm inter, int me, int theirs)
{
    MPI_Comm all, half, twin;
    int place, size, sum, same;
    MPI_Intercomm_merge(inter, !serves, &all);
    MPI_Comm_rank(all, &place);
    MPI_Comm_size(all, &size);
    CHECK(size == ranks + theirs && place == (serves ? me : theirs + me));
    MPI_Allreduce(&place, &sum, 1, MPI_INT, MPI_SUM, all);
    CHECK(sum == size * (size - 1) / 2);
    MPI_Comm_split(all, place % 2, -place, &half);
    MPI_Comm_size(half, &size);
    MPI_Comm_rank(half, &same);
    CHECK(same == size - 1 - place / 2);
    MPI_Allreduce(&place, &sum, 1, MPI_INT, MPI_SUM, half);
    CHECK(sum == size * (size - 1) + size * (place % 2));
    MPI_Comm_dup(all, &twin);
    MPI_Comm_compare(all, twin, &same);
    CHECK(same == MPI_CONGRUENT);
    MPI_Barrier(twin);
    MPI_Comm_free(&twin), MPI_Comm_free(&half), MPI_Comm_free(&all);
}

static void check_refusals(MPI_Comm inter)
{
    MPI_Comm made;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Comm_set_errhandler(inter, MPI_ERRORS_RETURN);
    CHECK(class_of(MPI_Comm_idup(inter, &made, &request)) == MPI_ERR_UNSUPPORTED_OPERATION);
}

static void check_errors(const char *name)
{
    char port[MPI_MAX_PORT_NAME], other[256];
    MPI_Comm made;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    snprintf(other, sizeof other, "%s/not this", name);
    CHECK(class_of(MPI_Lookup_name(other, MPI_INFO_NULL, port)) == MPI_ERR_NAME);
    CHECK(class_of(MPI_Comm_connect("nowhere", MPI_INFO_NULL, 0, MPI_COMM_WORLD, &made)) ==
          MPI_ERR_PORT);
    CHECK(class_of(MPI_Comm_connect("rankwise:127.0.0.1:1:00000000000000000000000000000000",
                                    MPI_INFO_NULL, 0, MPI_COMM_WORLD, &made)) == MPI_ERR_PORT);
}

static void meet(const char *name, char *port, int root)
{
    MPI_Comm inter;
    int me, theirs;
    if (serves)
        MPI_Comm_accept(port, MPI_INFO_NULL, root, MPI_COMM_WORLD, &inter);
    for (int tries = 0; !serves && rank == root && tries < 600; tries++, usleep(100000))
        if (MPI_Lookup_name(name, MPI_INFO_NULL, port) == MPI_SUCCESS)
            break;
    if (!serves)
        MPI_Comm_connect(port, MPI_INFO_NULL, root, MPI_COMM_WORLD, &inter);
    if (inter == MPI_COMM_NULL)
        MPI_Abort(MPI_COMM_WORLD, 4);
    if (vanishes)
        _exit(3);
    MPI_Comm_remote_size(inter, &theirs);
    MPI_Comm_rank(inter, &me);
    CHECK(me == rank);
    check_messages(inter, me, theirs);
    check_collectives(inter, me, theirs);
    check_merged(inter, me, theirs);
    check_refusals(inter);
    MPI_Comm_disconnect(&inter);
    CHECK(inter == MPI_COMM_NULL);
}

int main(int argc, char **argv)
{
    char port[MPI_MAX_PORT_NAME] = "";
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    vanishes = !strcmp(argv[1], "vanish");
    serves = vanishes || !strcmp(argv[1], "serve");
    check_errors(argv[2]);
    if (serves && rank == 0) {
        CHECK(MPI_Open_port(MPI_INFO_NULL, port) == MPI_SUCCESS);
        CHECK(MPI_Publish_name(argv[2], MPI_INFO_NULL, port) == MPI_SUCCESS);
    }
    for (int round = 0; round < ROUNDS; round++)
        meet(argv[2], port, 0);
    if (serves && rank == 0) {
        CHECK(MPI_Unpublish_name(argv[2], MPI_INFO_NULL, port) == MPI_SUCCESS);
        CHECK(MPI_Close_port(port) == MPI_SUCCESS);
        for (int tries = 0; access(argv[3], F_OK) && tries < 600; tries++)
            usleep(100000);
        CHECK(!access(argv[3], F_OK));
    }
    report();
    MPI_Finalize();
    return 0;
}
