/* Errors go once to the handler in charge, with the standard's class; a communicator is all it was
 * until its attributes are deleted; what is asked of each rank alone is answered alike; buffers at
 * MPI_BOTTOM. */
#include "traps.h"

enum { TAG = 5 };

static int rank, ranks;
static int handled, handled_class;

static void count_error(MPI_Comm *comm, int *code, ...)
{
    (void)comm;
    handled++;
    MPI_Error_class(*code, &handled_class);
}

static void check_handled(int code)
{
    CHECK(handled == 1 && handled_class == MPI_ERR_TRUNCATE && class_of(code) == MPI_ERR_TRUNCATE);
    handled = 0;
}

/* Rank 0 sends too much to each other rank, in its site or another one. */
static void check_handlers(void)
{
    int many[4] = {1, 2, 3, 4}, few[1], flag = 0, code = MPI_SUCCESS;
    MPI_Errhandler handler;
    MPI_Request r;
    MPI_Status status;
    MPI_Comm_create_errhandler(count_error, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    MPI_Errhandler_free(&handler);
    for (int peer = 1; rank == 0 && peer < ranks; peer++)
        for (int i = 0; i < 3; i++)
            MPI_Send(many, 4, MPI_INT, peer, TAG + i, MPI_COMM_WORLD);
    if (rank > 0) {
        check_handled(MPI_Recv(few, 1, MPI_INT, 0, TAG, MPI_COMM_WORLD, &status));
        MPI_Irecv(few, 1, MPI_INT, 0, TAG + 1, MPI_COMM_WORLD, &r);
        check_handled(MPI_Wait(&r, &status));
        MPI_Irecv(few, 1, MPI_INT, MPI_ANY_SOURCE, TAG + 2, MPI_COMM_WORLD, &r);
        while (!flag && code == MPI_SUCCESS)
            code = MPI_Test(&r, &flag, &status);
        check_handled(code);
    }
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Of collective operations; the same on all ranks. */
static void check_classes(void)
{
    int a[8] = {0}, b[8] = {0};
    double one = 1, all = 0;
    MPI_Comm world = MPI_COMM_WORLD;
    MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN);
    CHECK(class_of(MPI_Bcast(a, -1, MPI_INT, 0, world)) == MPI_ERR_COUNT);
    CHECK(class_of(MPI_Bcast(a, 1, MPI_DATATYPE_NULL, 0, world)) == MPI_ERR_TYPE);
    CHECK(class_of(MPI_Bcast(a, 1, MPI_INT, 99, world)) == MPI_ERR_ROOT);
    CHECK(class_of(MPI_Allreduce(a, b, 1, MPI_INT, MPI_OP_NULL, world)) == MPI_ERR_OP);
    CHECK(class_of(MPI_Allreduce(&one, &all, 1, MPI_DOUBLE, MPI_BAND, world)) == MPI_ERR_OP);
    CHECK(class_of(MPI_Allreduce(a, a, 1, MPI_INT, MPI_SUM, world)) == MPI_ERR_BUFFER);
    CHECK(class_of(MPI_Reduce(a, b, -1, MPI_INT, MPI_SUM, 0, world)) == MPI_ERR_COUNT);
    MPI_Comm_set_errhandler(world, MPI_ERRORS_ARE_FATAL);
}

/* The handler of MPI_COMM_SELF is what the program has made it, and nobody else. */
static void check_handler_of_self(void)
{
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
    MPI_Datatype none;
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_get_errhandler(MPI_COMM_SELF, &handler);
    CHECK(handler == MPI_ERRORS_RETURN);
    CHECK(MPI_Type_contiguous(-3, MPI_INT, &none) != MPI_SUCCESS);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

static int seen_rank, seen_ranks, deleted, refuses;

static int delete_value(MPI_Comm comm, int key, void *value, void *extra)
{
    (void)key, (void)value, (void)extra;
    deleted++;
    MPI_Comm_rank(comm, &seen_rank);
    MPI_Comm_size(comm, &seen_ranks);
    return refuses ? MPI_ERR_OTHER : MPI_SUCCESS;
}

static void check_deletion(void)
{
    int key;
    MPI_Comm copy;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, delete_value, &key, NULL);
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Comm_set_errhandler(copy, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN); /* MPICH calls these */
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_attr(copy, key, &rank);
    refuses = 1;
    CHECK(MPI_Comm_free(&copy) != MPI_SUCCESS && deleted == 1);
    refuses = 0, deleted = 0;
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Comm_set_attr(copy, key, &rank);
    seen_rank = seen_ranks = -1;
    CHECK(MPI_Comm_free(&copy) == MPI_SUCCESS && copy == MPI_COMM_NULL);
    CHECK(deleted == 1 && seen_rank == rank && seen_ranks == ranks);
    MPI_Comm_free_keyval(&key);
}

/* In each number of dimensions those of rank 0, and balanced as the standard has it. */
static void check_dimensions(void)
{
    enum { MOST = 600, DIMENSIONS = 4 };
    static int dims[MOST][DIMENSIONS], first[MOST][DIMENSIONS];
    for (int d = 1; d <= DIMENSIONS; d++) {
        int bad = 0;
        memset(dims, 0, sizeof dims);
        for (int n = 1; n < MOST; n++) {
            int product = 1;
            MPI_Dims_create(n, d, dims[n]);
            for (int i = 0; i < d; i++) {
                product *= dims[n][i];
                bad += i > 0 && dims[n][i] > dims[n][i - 1];
            }
            bad += product != n;
            for (int small = dims[n][0] - 1; d == 2 && small * small >= n; small--)
                bad += n % small == 0; /* one that is more balanced */
        }
        memcpy(first, dims, sizeof dims);
        MPI_Bcast(first, MOST * DIMENSIONS, MPI_INT, 0, MPI_COMM_WORLD);
        CHECK(!bad && !memcmp(first, dims, sizeof dims));
    }
    int given[3] = {0, 5, 0}, none[2] = {7, 0}, all[2] = {3, 4}, prime[2] = {0, 0};
    CHECK(MPI_Dims_create(60, 3, given) == MPI_SUCCESS);
    CHECK(given[0] == 4 && given[1] == 5 && given[2] == 3);
    CHECK(MPI_Dims_create(12, 2, all) == MPI_SUCCESS && all[0] == 3 && all[1] == 4);
    CHECK(MPI_Dims_create(2147483647, 2, prime) == MPI_SUCCESS && prime[1] == 1);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    CHECK(class_of(MPI_Dims_create(60, 2, none)) == MPI_ERR_DIMS && none[1] == 0);
    CHECK(class_of(MPI_Dims_create(11, 2, all)) == MPI_ERR_DIMS);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

static void check_bottom(void)
{
    static char text[16];
    const int to = (rank + 1) % ranks, from = (rank + ranks - 1) % ranks, one = 1;
    char in[16] = "", mine[2] = {(char)('a' + rank), 0};
    MPI_Aint at;
    MPI_Datatype letter = MPI_CHAR, there;
    MPI_Request r;
    MPI_Get_address(text, &at);
    MPI_Type_create_struct(1, &one, &at, &letter, &there);
    MPI_Type_commit(&there);
    memset(text, mine[0], 10);
    MPI_Irecv(in, 10, MPI_CHAR, from, TAG, MPI_COMM_WORLD, &r);
    MPI_Send(MPI_BOTTOM, 10, there, to, TAG, MPI_COMM_WORLD);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    CHECK(in[0] == 'a' + from && in[9] == 'a' + from && in[10] == 0);
    memset(text, 0, sizeof text);
    MPI_Irecv(MPI_BOTTOM, 12, there, from, TAG, MPI_COMM_WORLD, &r);
    MPI_Send(in, 10, MPI_CHAR, to, TAG, MPI_COMM_WORLD);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    CHECK(text[9] == 'a' + (from + ranks - 1) % ranks && text[10] == 0);
    memset(text, rank == 0 ? 'x' : 0, 10);
    MPI_Bcast(MPI_BOTTOM, 10, there, 0, MPI_COMM_WORLD);
    CHECK(text[0] == 'x' && text[9] == 'x');
    MPI_Type_free(&there);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    check_handler_of_self();
    check_handlers();
    check_classes();
    check_deletion();
    check_dimensions();
    check_bottom();
    report();
    MPI_Finalize();
    return wrong != 0;
}
