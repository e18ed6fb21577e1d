/* What a job over several sites cannot do is refused, and works within a site; and long messages,
 * of which a part comes with the announcement: posted and late, in pieces, too long for their
 * place; and long collective operations. */
#include "traps.h"
#include <unistd.h>

enum { CREDIT = 4 << 20 };

static int rank, ranks;

static void check_attributes(void)
{
    int *value = NULL, flag = -1;
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_WTIME_IS_GLOBAL, &value, &flag);
    CHECK(flag && value && !*value);
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_APPNUM, &value, &flag);
    CHECK(!flag);
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_UNIVERSE_SIZE, &value, &flag);
    CHECK(flag && *value == ranks);
}

static void check_refusals(void)
{
    char name[] = "/tmp/rankwise-joined-XXXXXX", words[MPI_MAX_ERROR_STRING];
    const int descriptor = mkstemp(name);
    int length, memory = 0;
    MPI_File file;
    MPI_Win window;
    MPI_Comm children;
    close(descriptor);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    int code = MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    CHECK(class_of(code) == MPI_ERR_UNSUPPORTED_OPERATION);
    MPI_Error_string(code, words, &length);
    CHECK(!strcmp(words, "MPI_File_open: not possible on a communicator across sites"));
    code = MPI_Comm_spawn("true", MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &children,
                          MPI_ERRCODES_IGNORE);
    CHECK(class_of(code) == MPI_ERR_UNSUPPORTED_OPERATION);
    code = MPI_Win_create(&memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    CHECK(class_of(code) == MPI_ERR_UNSUPPORTED_OPERATION);

    int out = 40 + rank, in = -1;
    if (WORKS(MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_RDWR, MPI_INFO_NULL, &file))) {
        MPI_Status status;
        CHECK(WORKS(MPI_File_write_at(file, 8, &out, 1, MPI_INT, MPI_STATUS_IGNORE)));
        CHECK(WORKS(MPI_File_read_at(file, 8, &in, 1, MPI_INT, &status)) && in == out);
        MPI_Get_count(&status, MPI_INT, &length);
        CHECK(length == 1);
        MPI_File_close(&file);
    }
    unlink(name);
}

static char pattern(int from, long at)
{
    return (char)(from * 31 + at % 251 + at / 4093);
}

/* With the next rank, round and round; `late`: the message is there first. */
static void check_long(long bytes, int late, int synchronous)
{
    const int to = (rank + 1) % ranks, from = (rank + ranks - 1) % ranks;
    char *out = malloc((size_t)bytes), *in = malloc((size_t)bytes + 1);
    MPI_Request request[2];
    MPI_Status status;
    long bad = 0;
    int count = -1;
    for (long i = 0; i < bytes; i++)
        out[i] = pattern(rank, i);
    memset(in, 77, (size_t)bytes + 1);
    if (!late)
        MPI_Irecv(in, (int)bytes + 1, MPI_BYTE, from, 5, MPI_COMM_WORLD, &request[0]);
    MPI_Barrier(MPI_COMM_WORLD);
    if (synchronous)
        MPI_Issend(out, (int)bytes, MPI_BYTE, to, 5, MPI_COMM_WORLD, &request[1]);
    else
        MPI_Isend(out, (int)bytes, MPI_BYTE, to, 5, MPI_COMM_WORLD, &request[1]);
    if (late) {
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Probe(from, 5, MPI_COMM_WORLD, &status);
        MPI_Get_count(&status, MPI_BYTE, &count);
        CHECK(count == bytes);
        MPI_Irecv(in, (int)bytes + 1, MPI_BYTE, from, 5, MPI_COMM_WORLD, &request[0]);
    }
    MPI_Wait(&request[0], &status);
    MPI_Wait(&request[1], MPI_STATUS_IGNORE);
    MPI_Get_count(&status, MPI_BYTE, &count);
    for (long i = 0; i < bytes; i++)
        bad += in[i] != pattern(from, i);
    CHECK(count == bytes && !bad && in[bytes] == 77);
    free(out);
    free(in);
}

/* Every other int, of more than the credit; and the same into too small a place. */
static void check_pieces(int late)
{
    enum { COUNT = (CREDIT >> 2) + 5000 };
    const int to = (rank + 1) % ranks, from = (rank + ranks - 1) % ranks;
    int *out = malloc(2 * COUNT * sizeof *out), *in = calloc(2 * COUNT, sizeof *in), bad = 0;
    MPI_Datatype every_other;
    MPI_Request request;
    MPI_Type_vector(COUNT, 1, 2, MPI_INT, &every_other);
    MPI_Type_commit(&every_other);
    for (int i = 0; i < 2 * COUNT; i++)
        out[i] = rank * 7 + i;
    for (int place = COUNT; place > 0; place -= COUNT - 10) {
        MPI_Isend(out, 1, every_other, to, 6, MPI_COMM_WORLD, &request);
        if (late)
            usleep(20000);
        const int code =
            place == COUNT
                ? MPI_Recv(in, 1, every_other, from, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
                : MPI_Recv(in, place, MPI_INT, from, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        CHECK(place == COUNT ? code == MPI_SUCCESS : class_of(code) == MPI_ERR_TRUNCATE);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        if (place == COUNT)
            for (int i = 0; i < COUNT; i++)
                bad += in[2 * i] != from * 7 + 2 * i || in[2 * i + 1] != 0;
        MPI_Barrier(MPI_COMM_WORLD);
        if (place < COUNT)
            break;
    }
    CHECK(!bad);
    MPI_Type_free(&every_other);
    free(out);
    free(in);
}

static int element(int from, int at)
{
    return from * 1000003 + at % 65521;
}

static void check_collectives(void)
{
    enum { COUNT = 2 << 20 };
    int *all = malloc((size_t)ranks * COUNT * sizeof *all), *own = malloc(COUNT * sizeof *own);
    int bad = 0;
    for (int i = 0; i < COUNT; i++)
        own[i] = element(rank, i);
    MPI_Allgather(own, COUNT, MPI_INT, all, COUNT, MPI_INT, MPI_COMM_WORLD);
    for (int r = 0; r < ranks; r++)
        for (int i = 0; i < COUNT; i++)
            bad += all[(long)r * COUNT + i] != element(r, i);
    CHECK(!bad);
    MPI_Bcast(all, ranks * COUNT, MPI_INT, ranks - 1, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, all, ranks * COUNT, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    for (int i = 0; i < ranks * COUNT; i++)
        bad += all[i] != element(i / COUNT, i % COUNT);
    CHECK(!bad);
    free(all);
    free(own);
}

int main(int argc, char **argv)
{
    static const long sizes[] = {1, 65536, CREDIT - 49, CREDIT - 48, CREDIT - 47, CREDIT + 70000};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    check_attributes();
    check_refusals();
    for (int i = 0; i < 6; i++)
        for (int way = 0; way < 4; way++)
            check_long(sizes[i], way & 1, way & 2);
    check_pieces(0);
    check_pieces(1);
    check_collectives();
    report();
    MPI_Finalize();
    return 0;
}
