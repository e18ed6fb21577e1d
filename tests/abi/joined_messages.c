/* Messages between all ranks of a job, whichever site they are in. */
#include "traps.h"
#include <unistd.h>

static int rank, ranks;

static int value(int from, int to, int index)
{
    return from * 1000003 + to * 1009 + index;
}

/* Every pair of ranks, of all sizes that are sent differently. */
static void check_sizes(void)
{
    static const int sizes[] = {0, 1, 1000, 16384, 16385, 500000};
    for (int s = 0; s < 6; s++) {
        const int n = sizes[s];
        int *out = malloc(((size_t)n + 1) * sizeof *out),
            *in = malloc(((size_t)n + 1) * sizeof *in);
        for (int shift = 1; shift < ranks; shift++) {
            const int to = (rank + shift) % ranks, from = (rank + ranks - shift) % ranks;
            MPI_Status status;
            int count = -1, bad = 0;
            for (int i = 0; i < n; i++)
                out[i] = value(rank, to, i), in[i] = -1;
            in[n] = -7;
            MPI_Sendrecv(out, n, MPI_INT, to, s, in, n + 1, MPI_INT, from, s, MPI_COMM_WORLD,
                         &status);
            MPI_Get_count(&status, MPI_INT, &count);
            CHECK(count == n && status.MPI_SOURCE == from && status.MPI_TAG == s);
            for (int i = 0; i < n; i++)
                bad += in[i] != value(from, rank, i);
            CHECK(!bad && in[n] == -7);
        }
        free(out);
        free(in);
    }
}

/* Any source: each message once, in order for each sender, blocking and not, and mixed with
 * receives from one rank. */
static void check_wildcards(void)
{
    enum { EACH = 20 };
    MPI_Request requests[EACH];
    MPI_Status status;
    int next[64] = {0}, sent[EACH];
    if (rank == 0) {
        for (int i = 0; i < EACH * (ranks - 1); i++) {
            int got = -1;
            if (i % 2) {
                MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, &status);
            } else {
                MPI_Irecv(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD,
                          &requests[0]);
                MPI_Wait(&requests[0], &status);
            }
            CHECK(status.MPI_TAG == 3 &&
                  got == value(status.MPI_SOURCE, 0, next[status.MPI_SOURCE]));
            next[status.MPI_SOURCE]++;
        }
        for (int r = 1; r < ranks; r++)
            CHECK(next[r] == EACH);
    } else {
        for (int i = 0; i < EACH; i++) {
            sent[i] = value(rank, 0, i);
            MPI_Isend(&sent[i], 1, MPI_INT, 0, 3, MPI_COMM_WORLD, &requests[i]);
        }
        MPI_Waitall(EACH, requests, MPI_STATUSES_IGNORE);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

/* A receive from any rank that was posted before one from a certain rank gets the first message. */
static void check_order(void)
{
    for (int from = 1; from < ranks; from++) {
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == 0) {
            int first = -1, second = -1;
            MPI_Request requests[2];
            MPI_Irecv(&first, 1, MPI_INT, MPI_ANY_SOURCE, 4, MPI_COMM_WORLD, &requests[0]);
            MPI_Irecv(&second, 1, MPI_INT, from, 4, MPI_COMM_WORLD, &requests[1]);
            MPI_Barrier(MPI_COMM_WORLD);
            MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
            CHECK(first == 1 && second == 2);
        } else {
            MPI_Barrier(MPI_COMM_WORLD);
            for (int i = 1; rank == from && i <= 2; i++)
                MPI_Send(&i, 1, MPI_INT, 0, 4, MPI_COMM_WORLD);
        }
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

/* All to all, all at once, ended in every way there is. */
static void check_nonblocking(int way)
{
    MPI_Request *requests = malloc(2 * (size_t)ranks * sizeof *requests);
    int *out = malloc((size_t)ranks * sizeof *out), *in = malloc((size_t)ranks * sizeof *in);
    int *indices = malloc(2 * (size_t)ranks * sizeof *indices), left = 2 * ranks;
    for (int r = 0; r < ranks; r++) {
        out[r] = value(rank, r, way);
        MPI_Irecv(&in[r], 1, MPI_INT, r, 10 + way, MPI_COMM_WORLD, &requests[2 * r]);
        MPI_Isend(&out[r], 1, MPI_INT, r, 10 + way, MPI_COMM_WORLD, &requests[2 * r + 1]);
    }
    while (left) {
        int flag = 0, index, count = 0;
        MPI_Status status;
        if (way == 0) {
            MPI_Waitall(2 * ranks, requests, MPI_STATUSES_IGNORE);
            left = 0;
        } else if (way == 1) {
            MPI_Waitany(2 * ranks, requests, &index, &status);
            CHECK(index % 2 || status.MPI_SOURCE == index / 2);
            left--;
        } else if (way == 2) {
            MPI_Testall(2 * ranks, requests, &flag, MPI_STATUSES_IGNORE);
            left = flag ? 0 : left;
        } else if (way == 3) {
            MPI_Waitsome(2 * ranks, requests, &count, indices, MPI_STATUSES_IGNORE);
            left -= count;
        } else {
            MPI_Testany(2 * ranks, requests, &index, &flag, &status);
            left -= flag;
        }
    }
    for (int r = 0; r < ranks; r++)
        CHECK(in[r] == value(r, rank, way) && requests[2 * r] == MPI_REQUEST_NULL);
    free(requests), free(out), free(in), free(indices);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Columns of a matrix to rows, an element that comes in part, more than there is room for. */
static void check_types(void)
{
    const int to = (rank + 1) % ranks, from = (rank + ranks - 1) % ranks;
    MPI_Datatype column, pair;
    MPI_Request request;
    MPI_Status status;
    double matrix[50][20], row[50] = {0};
    int few[3] = {1, 2, 3}, places[8] = {0}, count, code;
    MPI_Type_vector(50, 1, 20, MPI_DOUBLE, &column);
    MPI_Type_commit(&column);
    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_commit(&pair);
    for (int i = 0; i < 50; i++)
        matrix[i][3] = rank + i / 64.0;
    MPI_Irecv(row, 50, MPI_DOUBLE, from, 5, MPI_COMM_WORLD, &request);
    MPI_Send(&matrix[0][3], 1, column, to, 5, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK(row[0] == from && row[49] == from + 49 / 64.0);
    MPI_Irecv(&matrix[0][4], 1, column, from, 6, MPI_COMM_WORLD, &request);
    MPI_Type_free(&column);
    MPI_Send(row, 50, MPI_DOUBLE, to, 6, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK(matrix[49][4] == (from + ranks - 1) % ranks + 49 / 64.0);
    MPI_Sendrecv(few, 3, MPI_INT, to, 7, places, 4, pair, from, 7, MPI_COMM_WORLD, &status);
    MPI_Get_elements(&status, pair, &count);
    CHECK(count == 3 && places[2] == 3);
    MPI_Get_count(&status, pair, &count);
    CHECK(count == MPI_UNDEFINED);
    MPI_Type_free(&pair);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Isend(places, 8, MPI_INT, to, 8, MPI_COMM_WORLD, &request);
    code = MPI_Recv(few, 2, MPI_INT, from, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(class_of(code) == MPI_ERR_TRUNCATE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK(class_of(MPI_Send(few, 1, MPI_INT, ranks, 8, MPI_COMM_WORLD)) == MPI_ERR_RANK);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

/* Synchronous, buffered, ready and persistent sends. */
static void check_modes(void)
{
    const int to = (rank + 1) % ranks, from = (rank + ranks - 1) % ranks;
    MPI_Request requests[2];
    int sent = rank, got = -1, bytes, flag = 1;
    char *buffer = malloc(400000 + MPI_BSEND_OVERHEAD), *old;
    int *long_sent = calloc(50000, sizeof *long_sent), *long_got = calloc(50000, sizeof *long_got);
    MPI_Issend(&sent, 1, MPI_INT, to, 20, MPI_COMM_WORLD, &requests[0]);
    for (int i = 0; i < 20; i++) {
        MPI_Test(&requests[0], &flag, MPI_STATUS_IGNORE);
        CHECK(!flag);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Recv(&got, 1, MPI_INT, from, 20, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    CHECK(got == from);
    MPI_Buffer_attach(buffer, 400000 + MPI_BSEND_OVERHEAD);
    long_sent[49999] = rank + 1;
    MPI_Bsend(long_sent, 50000, MPI_INT, to, 21, MPI_COMM_WORLD); /* nobody receives yet */
    long_sent[49999] = -1;
    MPI_Recv(long_got, 50000, MPI_INT, from, 21, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(long_got[49999] == from + 1);
    MPI_Buffer_detach(&old, &bytes);
    CHECK(old == buffer);
    MPI_Recv_init(&got, 1, MPI_INT, from, 22, MPI_COMM_WORLD, &requests[0]);
    MPI_Send_init(&sent, 1, MPI_INT, to, 22, MPI_COMM_WORLD, &requests[1]);
    for (int i = 0; i < 5; i++) {
        sent = rank * 10 + i;
        MPI_Startall(2, requests);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        CHECK(got == from * 10 + i && requests[0] != MPI_REQUEST_NULL);
    }
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
    sent = rank;
    MPI_Sendrecv_replace(&sent, 1, MPI_INT, to, 23, from, 23, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(sent == from);
    free(buffer), free(long_sent), free(long_got);
}

/* What is looked at before it is received; a receive that is taken back; nobody. */
static void check_probes(void)
{
    const int to = (rank + 1) % ranks, from = (rank + ranks - 1) % ranks;
    MPI_Request request;
    MPI_Status status;
    MPI_Message message;
    int got = -1, count, flag = 0;
    MPI_Isend(&rank, 1, MPI_INT, to, 30, MPI_COMM_WORLD, &request);
    while (!flag)
        MPI_Iprobe(from, 30, MPI_COMM_WORLD, &flag, &status);
    MPI_Probe(MPI_ANY_SOURCE, 30, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_INT, &count);
    CHECK(status.MPI_SOURCE == from && count == 1);
    MPI_Recv(&got, 1, MPI_INT, status.MPI_SOURCE, 30, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK(got == from);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Isend(&rank, 1, MPI_INT, to, 31, MPI_COMM_WORLD, &request);
    if (WORKS(MPI_Mprobe(from, 31, MPI_COMM_WORLD, &message, &status))) {
        MPI_Mrecv(&got, 1, MPI_INT, &message, &status);
        CHECK(got == from && status.MPI_SOURCE == from && message == MPI_MESSAGE_NULL);
    } else {
        MPI_Recv(&got, 1, MPI_INT, from, 31, MPI_COMM_WORLD, &status);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Irecv(&got, 1, MPI_INT, from, 32, MPI_COMM_WORLD, &request);
    MPI_Cancel(&request);
    MPI_Wait(&request, &status);
    MPI_Test_cancelled(&status, &flag);
    CHECK(flag);
    MPI_Recv(&got, 1, MPI_INT, MPI_PROC_NULL, 33, MPI_COMM_WORLD, &status);
    CHECK(status.MPI_SOURCE == MPI_PROC_NULL);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

/* More unexpected messages than anybody keeps, the last of which is asked for first. */
static void check_flood(void)
{
    enum { COUNT = 200, BYTES = 60000 };
    const int to = (rank + 1) % ranks, from = (rank + ranks - 1) % ranks;
    char *out = malloc(BYTES), *in = malloc(BYTES);
    MPI_Request requests[COUNT + 1];
    memset(out, rank, BYTES);
    for (int i = 0; i < COUNT; i++)
        MPI_Isend(out, BYTES, MPI_BYTE, to, 40, MPI_COMM_WORLD, &requests[i]);
    MPI_Isend(out, 1, MPI_BYTE, to, 41, MPI_COMM_WORLD, &requests[COUNT]);
    MPI_Recv(in, 1, MPI_BYTE, from, 41, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < COUNT; i++) {
        in[BYTES - 1] = -1;
        MPI_Recv(in, BYTES, MPI_BYTE, from, 40, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        CHECK(in[0] == from && in[BYTES - 1] == from);
    }
    MPI_Waitall(COUNT + 1, requests, MPI_STATUSES_IGNORE);
    free(out), free(in);
}

int main(int argc, char **argv)
{
    int *bound, flag;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &bound, &flag);
    CHECK(flag && *bound >= 32767);
    check_sizes();
    check_wildcards();
    check_order();
    for (int way = 0; way < 5; way++)
        check_nonblocking(way);
    check_types();
    check_modes();
    check_probes();
    check_flood();
    report();
    MPI_Finalize();
    return 0;
}
