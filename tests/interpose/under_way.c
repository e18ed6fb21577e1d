/* What programs may do while nonblocking collectives are under way: free what these were given,
 * begin many more, wait for them beside null requests. Where arguments are checked (argument
 * `errors`), an operation that does not fit its type is an error on all ranks. */
#include "checks.h"

enum { LENGTH = 1000, CALLS = 130, LONG_BYTES = 8 << 20 };

static int rank, ranks;

static void check(int right, const char *what)
{
    checked++;
    if (!right && wrong++ < 10)
        fprintf(stderr, "rank %d of %d: %s\n", rank, ranks, what);
}

static void add(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *count; i++)
        ((int *)inout)[i] += ((int *)in)[i];
}

static void check_freed(int free_communicator)
{
    int in[LENGTH], out[LENGTH], bad = 0;
    MPI_Comm comm;
    MPI_Op op, other;
    MPI_Datatype type, others[8];
    MPI_Request r;
    for (int i = 0; i < LENGTH; i++)
        in[i] = rank + i, out[i] = -1;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Op_create(add, 1, &op);
    MPI_Type_contiguous(1, MPI_INT, &type);
    MPI_Type_commit(&type);
    MPI_Iallreduce(in, out, LENGTH, type, op, comm, &r);
    MPI_Op_free(&op);
    MPI_Type_free(&type);
    check(op == MPI_OP_NULL && type == MPI_DATATYPE_NULL, "freed handles are null");
    if (free_communicator)
        MPI_Comm_free(&comm);
    for (int i = 0; i < 8; i++)
        MPI_Type_vector(2, 1, 3, MPI_CHAR, &others[i]), MPI_Type_commit(&others[i]);
    MPI_Op_create(add, 1, &other);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    for (int i = 0; i < LENGTH; i++)
        bad += out[i] != ranks * i + ranks * (ranks - 1) / 2;
    check(!bad, "a sum by what has been freed");
    for (int i = 0; i < 8; i++)
        MPI_Type_free(&others[i]);
    MPI_Op_free(&other);
    if (!free_communicator)
        MPI_Comm_free(&comm);
}

/* The first is long, so that all of them are under way for a while. */
static void check_many(void)
{
    char *big = calloc(1, LONG_BYTES);
    int small[CALLS], bad = 0;
    MPI_Request r[CALLS];
    if (rank == 0)
        memset(big, 'B', LONG_BYTES);
    for (int i = 0; i < CALLS; i++)
        small[i] = rank == 0 ? 1000 + i : -1;
    MPI_Ibcast(big, LONG_BYTES, MPI_CHAR, 0, MPI_COMM_WORLD, &r[0]);
    for (int i = 1; i < CALLS; i++)
        MPI_Ibcast(&small[i], 1, MPI_INT, 0, MPI_COMM_WORLD, &r[i]);
    MPI_Waitall(CALLS, r, MPI_STATUSES_IGNORE);
    for (int i = 1; i < CALLS; i++)
        bad += small[i] != 1000 + i;
    for (int i = 0; i < LONG_BYTES; i++)
        bad += big[i] != 'B';
    check(!bad, "many at once");
    free(big);
}

static void check_null_requests(void)
{
    int sum = -1;
    MPI_Request r[3] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    MPI_Status s[3];
    MPI_Iallreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &r[1]);
    MPI_Waitall(3, r, s);
    check(sum == ranks * (ranks - 1) / 2, "waiting beside null requests");
    check(r[1] == MPI_REQUEST_NULL && s[0].MPI_SOURCE == MPI_ANY_SOURCE &&
              s[2].MPI_TAG == MPI_ANY_TAG,
          "statuses of null requests are empty");
}

static void check_unfit_operation(void)
{
    double one = 1, all = 0;
    int class = 0;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Error_class(MPI_Allreduce(&one, &all, 1, MPI_DOUBLE, MPI_BAND, MPI_COMM_WORLD), &class);
    check(class == MPI_ERR_OP, "an operation that does not fit its type");
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

int main(int argc, char **argv)
{
    int all_wrong = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int turn = 0; turn < 10; turn++)
        check_freed(turn % 2);
    check_many();
    check_null_requests();
    if (argc > 1)
        check_unfit_operation();
    MPI_Allreduce(&wrong, &all_wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf("checked %d wrong %d\n", checked, all_wrong);
    MPI_Finalize();
    return all_wrong != 0;
}
