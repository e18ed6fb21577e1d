/* Collective operations, communicators and groups of all ranks of a job, whichever site they are
 * in.
 */
#include "traps.h"

static int rank, ranks;

/* Every operation on a communicator against what it has to be. */
static void check_collectives(MPI_Comm comm, int n)
{
    int me, all, root, bad = 0;
    MPI_Comm_rank(comm, &me);
    MPI_Comm_size(comm, &all);
    root = all - 1;
    int *one = malloc((size_t)n * sizeof *one), *out = malloc((size_t)n * sizeof *out);
    int *many = malloc((size_t)(n * all) * sizeof *many),
        *more = malloc((size_t)(n * all) * sizeof *more);
    for (int i = 0; i < n; i++)
        one[i] = me == root ? i : -1;
    MPI_Bcast(one, n, MPI_INT, root, comm);
    for (int i = 0; i < n; i++)
        bad += one[i] != i;
    CHECK(!bad);
    for (int i = 0; i < n; i++)
        one[i] = me + i;
    MPI_Allreduce(one, out, n, MPI_INT, MPI_SUM, comm);
    for (int i = bad = 0; i < n; i++)
        bad += out[i] != all * (all - 1) / 2 + all * i;
    MPI_Reduce(one, out, n, MPI_INT, MPI_MAX, root, comm);
    for (int i = 0; i < n && me == root; i++)
        bad += out[i] != all - 1 + i;
    CHECK(!bad);
    memcpy(out, one, (size_t)n * sizeof *out);
    MPI_Allreduce(MPI_IN_PLACE, out, n, MPI_INT, MPI_MIN, comm);
    MPI_Gather(one, n, MPI_INT, many, n, MPI_INT, root, comm);
    for (int i = bad = 0; i < n; i++) {
        bad += out[i] != i;
        for (int r = 0; r < all && me == root; r++)
            bad += many[r * n + i] != r + i;
    }
    CHECK(!bad);
    MPI_Allgather(one, n, MPI_INT, many, n, MPI_INT, comm);
    for (int i = bad = 0; i < n * all; i++)
        bad += many[i] != i / n + i % n;
    MPI_Scatter(many, n, MPI_INT, out, n, MPI_INT, root, comm);
    for (int i = 0; i < n; i++)
        bad += out[i] != one[i];
    CHECK(!bad);
    for (int i = bad = 0; i < n * all; i++)
        many[i] = me * 100 + i / n;
    MPI_Alltoall(many, n, MPI_INT, more, n, MPI_INT, comm);
    for (int i = 0; i < n * all; i++)
        bad += more[i] != i / n * 100 + me;
    MPI_Reduce_scatter_block(many, out, n, MPI_INT, MPI_SUM, comm);
    for (int i = 0; i < n; i++)
        bad += out[i] != all * (all - 1) / 2 * 100 + all * me;
    CHECK(!bad);
    MPI_Scan(one, out, n, MPI_INT, MPI_SUM, comm);
    for (int i = bad = 0; i < n; i++)
        bad += out[i] != me * (me + 1) / 2 + (me + 1) * i;
    MPI_Exscan(one, out, n, MPI_INT, MPI_SUM, comm);
    for (int i = 0; i < n && me; i++)
        bad += out[i] != me * (me - 1) / 2 + me * i;
    CHECK(!bad);
    MPI_Barrier(comm);
    free(one), free(out), free(many), free(more);
}

/* To even ranks ints, to odd ones bytes; then all back to where they came from. */
static void check_types_of_pairs(MPI_Comm comm, int me, int all)
{
    MPI_Datatype to[64], from[64];
    int out[64], in[64], to_counts[64], from_counts[64], starts[64], bad = 0;
    for (int r = 0; r < all; r++) {
        to[r] = r % 2 ? MPI_BYTE : MPI_INT;
        to_counts[r] = r % 2 ? (int)sizeof(int) : 1;
        from[r] = me % 2 ? MPI_BYTE : MPI_INT;
        from_counts[r] = me % 2 ? (int)sizeof(int) : 1;
        starts[r] = r * (int)sizeof(int);
        out[r] = me * 100 + r;
    }
    MPI_Alltoallw(out, to_counts, starts, to, in, from_counts, starts, from, comm);
    for (int r = 0; r < all; r++)
        bad += in[r] != r * 100 + me;
    CHECK(!bad);
    for (int r = 0; r < all; r++) {
        to[r] = MPI_INT;
        to_counts[r] = 1;
    }
    if (MPI_Alltoallw(MPI_IN_PLACE, NULL, NULL, NULL, in, to_counts, starts, to, comm))
        bad++;
    for (int r = 0; r < all; r++)
        bad += in[r] != out[r];
    CHECK(!bad);
}

/* Blocks of different lengths, apart from one another. */
static void check_varying(MPI_Comm comm)
{
    int me, all, bad = 0, own[64], *into, counts[64], starts[64], sums[64];
    MPI_Comm_rank(comm, &me);
    MPI_Comm_size(comm, &all);
    into = calloc(64 * 64, sizeof *into);
    for (int r = 0; r < all; r++) {
        counts[r] = r % 3;
        starts[r] = (all - 1 - r) * 4;
    }
    for (int i = 0; i < 64; i++)
        own[i] = me * 10 + i;
    MPI_Allgatherv(own, counts[me], MPI_INT, into, counts, starts, MPI_INT, comm);
    for (int r = 0; r < all; r++)
        for (int i = 0; i < counts[r]; i++)
            bad += into[starts[r] + i] != r * 10 + i;
    CHECK(!bad);
    memset(into, 0, 64 * 64 * sizeof *into);
    MPI_Gatherv(own, counts[me], MPI_INT, into, counts, starts, MPI_INT, 0, comm);
    for (int r = 0; r < all && me == 0; r++)
        for (int i = 0; i < counts[r]; i++)
            bad += into[starts[r] + i] != r * 10 + i;
    MPI_Scatterv(into, counts, starts, MPI_INT, sums, counts[me], MPI_INT, 0, comm);
    for (int i = 0; i < counts[me]; i++)
        bad += sums[i] != own[i];
    CHECK(!bad);
    for (int r = 0; r < all; r++)
        counts[r] = 1, starts[r] = r;
    MPI_Alltoallv(own, counts, starts, MPI_INT, into, counts, starts, MPI_INT, comm);
    for (int r = 0; r < all; r++)
        bad += into[r] != r * 10 + me;
    check_types_of_pairs(comm, me, all);
    MPI_Reduce_scatter(own, sums, counts, MPI_INT, MPI_SUM, comm);
    CHECK(!bad && sums[0] == all * (all - 1) / 2 * 10 + all * me);
    free(into);
}

/* An operation whose order counts: 2 x 2 matrices of numbers modulo a prime. */
static void multiply(void *in, void *inout, int *length, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *length; i++) {
        const long *a = (long *)in + 4 * i;
        long *b = (long *)inout + 4 * i, c[4];
        for (int k = 0; k < 4; k++)
            c[k] = (a[k / 2 * 2] * b[k % 2] + a[k / 2 * 2 + 1] * b[2 + k % 2]) % 10007;
        memcpy(b, c, sizeof c);
    }
}

static void check_order(void)
{
    MPI_Datatype matrix;
    MPI_Op op;
    long own[4] = {rank + 1, 2, 3, rank + 4}, got[4], right[4] = {1, 0, 0, 1};
    int one = 1;
    MPI_Type_contiguous(4, MPI_LONG, &matrix);
    MPI_Type_commit(&matrix);
    MPI_Op_create(multiply, 0, &op);
    for (int r = 0; r < ranks; r++) {
        long next[4] = {r + 1, 2, 3, r + 4};
        multiply(right, next, &one, &matrix);
        memcpy(right, next, sizeof right);
    }
    MPI_Allreduce(own, got, 1, matrix, op, MPI_COMM_WORLD);
    CHECK(!memcmp(got, right, sizeof got));
    MPI_Reduce(own, got, 1, matrix, op, 0, MPI_COMM_WORLD);
    CHECK(rank || !memcmp(got, right, sizeof got));
    MPI_Scan(own, got, 1, matrix, op, MPI_COMM_WORLD);
    CHECK(rank != ranks - 1 || !memcmp(got, right, sizeof got));
    MPI_Op_free(&op);
    MPI_Type_free(&matrix);
}

/* Several at once, ended in another order than they began, messages between them. */
static void check_nonblocking(void)
{
    MPI_Request requests[5];
    const int to = (rank + 1) % ranks, from = (rank + ranks - 1) % ranks;
    int sum = -1, word = rank == 1 ? 77 : 0, got = -1, *all = malloc((size_t)ranks * sizeof *all);
    MPI_Iallreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[0]);
    MPI_Ibcast(&word, 1, MPI_INT, 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Irecv(&got, 1, MPI_INT, from, 1, MPI_COMM_WORLD, &requests[2]);
    MPI_Iallgather(&rank, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD, &requests[3]);
    MPI_Ibarrier(MPI_COMM_WORLD, &requests[4]);
    MPI_Send(&rank, 1, MPI_INT, to, 1, MPI_COMM_WORLD);
    for (int i = 4; i >= 0; i--)
        MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
    CHECK(sum == ranks * (ranks - 1) / 2 && word == 77 && got == from &&
          all[ranks - 1] == ranks - 1);
    free(all);
}

static void check_communicators(void)
{
    MPI_Comm twin, turned, half, self, some;
    MPI_Group world, group, other;
    int me, size, same, keyval, flag, *kept, chosen[2] = {ranks - 1, 0}, numbers[2];
    MPI_Comm_dup(MPI_COMM_WORLD, &twin);
    MPI_Comm_compare(MPI_COMM_WORLD, twin, &same);
    CHECK(same == MPI_CONGRUENT);
    check_collectives(twin, 3);
    MPI_Comm_split(twin, 0, ranks - rank, &turned);
    MPI_Comm_rank(turned, &me);
    CHECK(me == ranks - 1 - rank);
    MPI_Comm_compare(turned, twin, &same);
    CHECK(same == (ranks == 1 ? MPI_CONGRUENT : MPI_SIMILAR));
    check_collectives(turned, 5);
    check_varying(turned);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, 0, &half); /* each has ranks of several sites */
    MPI_Comm_size(half, &size);
    CHECK(size == (ranks + 1 - rank % 2) / 2);
    check_collectives(half, 4);
    MPI_Comm_split(MPI_COMM_WORLD, rank, 0, &self);
    MPI_Comm_size(self, &size);
    CHECK(size == 1);
    MPI_Barrier(self);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 2, chosen, &group);
    MPI_Group_translate_ranks(world, 2, chosen, group, numbers);
    CHECK(numbers[0] == 0 && numbers[1] == 1);
    MPI_Group_difference(world, group, &other);
    MPI_Group_size(other, &size);
    CHECK(size == ranks - 2);
    MPI_Comm_create(MPI_COMM_WORLD, group, &some);
    CHECK((some != MPI_COMM_NULL) == (rank == 0 || rank == ranks - 1));
    if (some != MPI_COMM_NULL) {
        MPI_Comm_rank(some, &me);
        CHECK(me == (rank == 0));
        check_collectives(some, 6);
        MPI_Comm_free(&some);
    }
    MPI_Group_free(&world), MPI_Group_free(&group), MPI_Group_free(&other);
    MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &keyval, NULL);
    MPI_Comm_set_attr(turned, keyval, &ranks);
    MPI_Comm_free(&twin);
    MPI_Comm_dup(turned, &twin);
    MPI_Comm_get_attr(twin, keyval, &kept, &flag);
    CHECK(flag && *kept == ranks);
    MPI_Comm_free(&twin), MPI_Comm_free(&turned), MPI_Comm_free(&half), MPI_Comm_free(&self);
    CHECK(twin == MPI_COMM_NULL);
}

static int told;

static void note(MPI_Comm *comm, int *code, ...)
{
    int class = class_of(*code);
    told += *comm == MPI_COMM_WORLD && class == MPI_ERR_UNSUPPORTED_OPERATION;
}

/* What does not exist across sites says so, and works within one. */
static void check_refusals(void)
{
    MPI_Win window;
    MPI_Errhandler handler;
    char words[MPI_MAX_ERROR_STRING], library[MPI_MAX_LIBRARY_VERSION_STRING];
    int memory[1] = {0}, *place, length, code;
    MPI_Comm_create_errhandler(note, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    code = MPI_Win_create(memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Get_library_version(library, &length);
    CHECK(class_of(code) == MPI_ERR_UNSUPPORTED_OPERATION);
    CHECK(told == 1 || !strncmp(library, "lammpi", 6)); /* which has no MPI_Comm_call_errhandler */
    MPI_Error_string(code, words, &length);
    CHECK(!strncmp(words, "MPI_Win_create: not possible", 28));
    code = MPI_Win_allocate(4, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &place, &window);
    CHECK(class_of(code) == MPI_ERR_UNSUPPORTED_OPERATION);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    MPI_Errhandler_free(&handler);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    code = MPI_Win_create(memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_SELF, &window);
    /* In any job Open MPI 4 has no window of one process where its UCX finds no network. */
    if (!strncmp(library, "Open MPI v4", 11) && class_of(code) == MPI_ERR_WIN)
        checked++;
    else if (works(code, "MPI_Win_create("))
        MPI_Win_free(&window);
}

#ifdef NONBLOCKING_COLLECTIVES
/* It waits for nobody: each rank calls it when the one before has, before anybody has ended it. */
static void check_idup(MPI_Comm comm, int me, int all)
{
    MPI_Comm made[3], part;
    MPI_Request requests[3];
    int word = 0, bad = 0, same, old = 0, at, size;
    MPI_Comm_split(comm, me % 2, 0, &part);
    MPI_Comm_set_errhandler(part, MPI_ERRORS_RETURN);
    if (me)
        MPI_Recv(&word, 1, MPI_INT, me - 1, 3, comm, MPI_STATUS_IGNORE);
    for (int i = 0; i < 3; i++)
        requests[i] = MPI_REQUEST_NULL,
        old |= MPI_Comm_idup(i == 1 ? part : comm, &made[i], &requests[i]) != MPI_SUCCESS;
    if (me < all - 1)
        MPI_Send(&word, 1, MPI_INT, me + 1, 3, comm);
    for (int i = 2; i >= 0; i--)
        old |= MPI_Wait(&requests[i], MPI_STATUS_IGNORE) != MPI_SUCCESS;
    lacking += old;
    MPI_Allreduce(MPI_IN_PLACE, &old, 1, MPI_INT, MPI_MAX, comm);
    for (int i = 0; i < 3 && !old; i++) {
        MPI_Comm_compare(i == 1 ? part : comm, made[i], &same);
        MPI_Comm_rank(made[i], &at);
        MPI_Comm_size(made[i], &size);
        MPI_Sendrecv(&at, 1, MPI_INT, (at + 1) % size, 5, &word, 1, MPI_INT, (at + size - 1) % size,
                     5, made[i], MPI_STATUS_IGNORE);
        bad += same != MPI_CONGRUENT || word != (at + size - 1) % size;
    }
    for (int i = 0; i < 3 && !old; i++)
        check_collectives(made[i], 2);
    CHECK(!bad);
    for (int i = 0; i < 3 && !old; i++)
        MPI_Comm_free(&made[i]);
    MPI_Comm_free(&part);
}
#endif

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    check_collectives(MPI_COMM_WORLD, 1);
    check_collectives(MPI_COMM_WORLD, 30000);
    check_varying(MPI_COMM_WORLD);
    check_order();
    check_nonblocking();
    check_communicators();
#ifdef NONBLOCKING_COLLECTIVES
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    check_idup(MPI_COMM_WORLD, rank, ranks);
#endif
    check_refusals();
    report();
    MPI_Finalize();
    return 0;
}
