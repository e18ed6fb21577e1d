/* Every collective operation, on several communicators, types, counts and roots: right results, and
 * nothing written where nothing belongs. Knows nothing of any overlay. */
#include "checks.h"

static int sum_of(const Setting *s, int ranks, int i)
{
    int sum = 0;
    (void)s;
    for (int r = 0; r < ranks; r++)
        sum += value(r, i);
    return sum;
}

/* Adds ints of either type: the library has no sum for a type with gaps. */
static void add(void *in, void *inout, int *length, MPI_Datatype *type)
{
    MPI_Aint lower, upper = sizeof(int);
    lower = 0;
#if HAS_MPI3
    MPI_Type_get_extent(*type, &lower, &upper);
#else
    (void)type;
#endif
    for (int i = 0; i < *length; i++)
        *(int *)((char *)inout + i * upper) += *(int *)((char *)in + i * upper);
}

/* Composes the functions x -> a x + b modulo a prime: associative, never commutative. */
static void compose(void *in, void *inout, int *length, MPI_Datatype *type)
{
    const long long *f = in;
    long long *g = inout;
    (void)type;
    for (int i = 0; i < 2 * *length; i += 2) {
        const long long a = f[i] * g[i] % 10007, b = (f[i + 1] * g[i] + g[i + 1]) % 10007;
        g[i] = a;
        g[i + 1] = b;
    }
}

static void check_bcast(const Setting *s, int n, int root)
{
    int *m = s->rank == root ? contribution(s, root, n) : memory(s, n);
    MPI_Bcast(m, n, s->type, root, s->comm);
    for (int i = 0; i < n; i++)
        expect(s, "bcast", m, i, value(root, i));
    expect_gaps(s, "bcast", m, n);
    free(m);
}

static void check_gather(const Setting *s, int n, int root, int in_place)
{
    const int is_root = s->rank == root;
    int *in = contribution(s, s->rank, n), *out = memory(s, n * s->ranks);
    for (int i = 0; in_place && is_root && i < n; i++)
        out[(root * n + i) * s->stride] = value(root, i);
    MPI_Gather(in_place && is_root ? MPI_IN_PLACE : in, n, s->type, out, n, s->type, root, s->comm);
    for (int r = 0; is_root && r < s->ranks; r++)
        for (int i = 0; i < n; i++)
            expect(s, "gather", out, r * n + i, value(r, i));
    expect_gaps(s, "gather", out, n * s->ranks);
    free(in), free(out);
}

static void check_scatter(const Setting *s, int n, int root, int in_place)
{
    const int is_root = s->rank == root;
    int *in = contribution(s, root, n * s->ranks), *out = memory(s, n);
    MPI_Scatter(in, n, s->type, in_place && is_root ? MPI_IN_PLACE : out, n, s->type, root,
                s->comm);
    for (int i = 0; i < n && !(in_place && is_root); i++)
        expect(s, "scatter", out, i, value(root, s->rank * n + i));
    for (int i = 0; i < n * s->ranks; i++)
        expect(s, "scatter's input", in, i, value(root, i));
    expect_gaps(s, "scatter", out, n);
    free(in), free(out);
}

static void check_allgather(const Setting *s, int n, int in_place)
{
    int *in = contribution(s, s->rank, n), *out = memory(s, n * s->ranks);
    for (int i = 0; in_place && i < n; i++)
        out[(s->rank * n + i) * s->stride] = value(s->rank, i);
    MPI_Allgather(in_place ? MPI_IN_PLACE : in, n, s->type, out, n, s->type, s->comm);
    for (int r = 0; r < s->ranks; r++)
        for (int i = 0; i < n; i++)
            expect(s, "allgather", out, r * n + i, value(r, i));
    expect_gaps(s, "allgather", out, n * s->ranks);
    free(in), free(out);
}

static void check_alltoall(const Setting *s, int n, int in_place)
{
    int *in = contribution(s, s->rank, n * s->ranks);
    int *out = in_place ? contribution(s, s->rank, n * s->ranks) : memory(s, n * s->ranks);
    MPI_Alltoall(in_place ? MPI_IN_PLACE : in, n, s->type, out, n, s->type, s->comm);
    for (int r = 0; r < s->ranks; r++)
        for (int i = 0; i < n; i++)
            expect(s, "alltoall", out, r * n + i, value(r, s->rank * n + i));
    expect_gaps(s, "alltoall", out, n * s->ranks);
    free(in), free(out);
}

/* Blocks of (r * 7) % 5 * n elements, some empty, standing one element apart. */
typedef struct {
    int *lengths, *starts, total;
} Uneven;

static Uneven uneven(const Setting *s, int n)
{
    Uneven u = {malloc(sizeof(int) * (size_t)s->ranks), malloc(sizeof(int) * (size_t)s->ranks), 0};
    for (int r = 0; r < s->ranks; r++) {
        u.lengths[r] = r * 7 % 5 * n;
        u.starts[r] = u.total + r;
        u.total += u.lengths[r];
    }
    u.total += s->ranks;
    return u;
}

static void end_uneven(Uneven *u)
{
    free(u->lengths), free(u->starts);
}

static void check_gatherv(const Setting *s, int n, int root)
{
    Uneven u = uneven(s, n);
    int *in = contribution(s, s->rank, u.lengths[s->rank]), *out = memory(s, u.total);
    const int is_root = s->rank == root;
    MPI_Gatherv(in, u.lengths[s->rank], s->type, out, is_root ? u.lengths : NULL,
                is_root ? u.starts : NULL, s->type, root, s->comm);
    for (int r = 0; is_root && r < s->ranks; r++) {
        for (int i = 0; i < u.lengths[r]; i++)
            expect(s, "gatherv", out, u.starts[r] + i, value(r, i));
        expect(s, "gatherv's gap", out, u.starts[r] + u.lengths[r], FILL);
    }
    free(in), free(out), end_uneven(&u);
}

static void check_scatterv(const Setting *s, int n, int root)
{
    Uneven u = uneven(s, n);
    int *in = contribution(s, root, u.total), *out = memory(s, u.lengths[s->rank]);
    const int is_root = s->rank == root;
    MPI_Scatterv(in, is_root ? u.lengths : NULL, is_root ? u.starts : NULL, s->type, out,
                 u.lengths[s->rank], s->type, root, s->comm);
    for (int i = 0; i < u.lengths[s->rank]; i++)
        expect(s, "scatterv", out, i, value(root, u.starts[s->rank] + i));
    expect_gaps(s, "scatterv", out, u.lengths[s->rank]);
    free(in), free(out), end_uneven(&u);
}

static void check_allgatherv(const Setting *s, int n, int in_place)
{
    Uneven u = uneven(s, n);
    const int own = u.lengths[s->rank];
    int *in = contribution(s, s->rank, own), *out = memory(s, u.total);
    for (int i = 0; in_place && i < own; i++)
        out[(u.starts[s->rank] + i) * s->stride] = value(s->rank, i);
    MPI_Allgatherv(in_place ? MPI_IN_PLACE : in, own, s->type, out, u.lengths, u.starts, s->type,
                   s->comm);
    for (int r = 0; r < s->ranks; r++) {
        for (int i = 0; i < u.lengths[r]; i++)
            expect(s, "allgatherv", out, u.starts[r] + i, value(r, i));
        expect(s, "allgatherv's gap", out, u.starts[r] + u.lengths[r], FILL);
    }
    free(in), free(out), end_uneven(&u);
}

/* Rank r sends (r + q) % 3 * n elements to rank q: as many as it gets. */
static void check_alltoallv(const Setting *s, int n, int in_place)
{
    Uneven u = uneven(s, n);
    u.total = 0;
    for (int q = 0; q < s->ranks; q++) {
        u.lengths[q] = (s->rank + q) % 3 * n;
        u.starts[q] = u.total + q;
        u.total += u.lengths[q];
    }
    u.total += s->ranks;
    int *in = memory(s, u.total), *out = memory(s, u.total);
    for (int q = 0; q < s->ranks; q++)
        for (int i = 0; i < u.lengths[q]; i++)
            (in_place ? out : in)[(u.starts[q] + i) * s->stride] = value(s->rank, 31 * q + i);
    MPI_Alltoallv(in_place ? MPI_IN_PLACE : in, u.lengths, u.starts, s->type, out, u.lengths,
                  u.starts, s->type, s->comm);
    for (int q = 0; q < s->ranks; q++) {
        for (int i = 0; i < u.lengths[q]; i++)
            expect(s, "alltoallv", out, u.starts[q] + i, value(q, 31 * s->rank + i));
        expect(s, "alltoallv's gap", out, u.starts[q] + u.lengths[q], FILL);
    }
    free(in), free(out), end_uneven(&u);
}

static void check_reductions(const Setting *s, int n, int root, MPI_Op op, int in_place)
{
    const int is_root = s->rank == root;
    int *in = contribution(s, s->rank, n), *out = memory(s, n);
    int *both = contribution(s, s->rank, n), *partial = memory(s, n);
    MPI_Reduce(in_place && is_root ? MPI_IN_PLACE : in, in_place && is_root ? both : out, n,
               s->type, op, root, s->comm);
    for (int i = 0; is_root && i < n; i++)
        expect(s, "reduce", in_place ? both : out, i, sum_of(s, s->ranks, i));
    free(both);
    both = contribution(s, s->rank, n);
    MPI_Allreduce(in_place ? MPI_IN_PLACE : in, in_place ? both : out, n, s->type, op, s->comm);
    for (int i = 0; i < n; i++)
        expect(s, "allreduce", in_place ? both : out, i, sum_of(s, s->ranks, i));
    free(both);
    both = contribution(s, s->rank, n);
    MPI_Scan(in_place ? MPI_IN_PLACE : in, in_place ? both : partial, n, s->type, op, s->comm);
    for (int i = 0; i < n; i++)
        expect(s, "scan", in_place ? both : partial, i, sum_of(s, s->rank + 1, i));
    expect_gaps(s, "scan", in_place ? both : partial, n);
#if HAS_MPI3
    free(both);
    both = contribution(s, s->rank, n);
    MPI_Exscan(in_place ? MPI_IN_PLACE : in, in_place ? both : partial, n, s->type, op, s->comm);
    for (int i = 0; s->rank && i < n; i++)
        expect(s, "exscan", in_place ? both : partial, i, sum_of(s, s->rank, i));
#endif
    free(in), free(out), free(both), free(partial);
}

static void check_reduce_scatter(const Setting *s, int n, MPI_Op op, int in_place)
{
    Uneven u = uneven(s, n);
    int before = 0, total = 0;
    for (int r = 0; r < s->ranks; r++) {
        before += r < s->rank ? u.lengths[r] : 0;
        total += u.lengths[r];
    }
    int *in = contribution(s, s->rank, total), *out = memory(s, u.lengths[s->rank]);
    MPI_Reduce_scatter(in_place ? MPI_IN_PLACE : in, in_place ? in : out, u.lengths, s->type, op,
                       s->comm);
    for (int i = 0; i < u.lengths[s->rank]; i++)
        expect(s, "reduce_scatter", in_place ? in : out, i, sum_of(s, s->ranks, before + i));
    free(in), free(out);
#if HAS_MPI3
    in = contribution(s, s->rank, n * s->ranks), out = memory(s, n);
    MPI_Reduce_scatter_block(in_place ? MPI_IN_PLACE : in, in_place ? in : out, n, s->type, op,
                             s->comm);
    for (int i = 0; i < n; i++)
        expect(s, "reduce_scatter_block", in_place ? in : out, i,
               sum_of(s, s->ranks, s->rank * n + i));
    free(in), free(out);
#endif
    end_uneven(&u);
}

static void check_order(const Setting *s, MPI_Op op, MPI_Datatype pair)
{
    long long mine[2] = {s->rank + 2, s->rank + 5}, all[2] = {0, 0}, part[2] = {0, 0};
    long long expected[2] = {1, 0}, until[2] = {1, 0};
    for (int r = 0; r < s->ranks; r++) {
        expected[1] = (expected[1] * (r + 2) + r + 5) % 10007;
        expected[0] = expected[0] * (r + 2) % 10007;
        if (r == s->rank)
            memcpy(until, expected, sizeof until);
    }
    MPI_Allreduce(mine, all, 1, pair, op, s->comm);
    MPI_Scan(mine, part, 1, pair, op, s->comm);
    checked += 2;
    if (memcmp(all, expected, sizeof all) || memcmp(part, until, sizeof part)) {
        wrong++;
        fprintf(stderr, "an operation that does not commute, on %s: out of order\n", s->name);
    }
}

static void check_all(Setting *s, MPI_Op own, MPI_Op order, MPI_Datatype pair)
{
    static const int counts[] = {0, 1, 3, 5000};
    const int places = HAS_IN_PLACE ? 2 : 1;
    MPI_Comm_rank(s->comm, &s->rank);
    MPI_Comm_size(s->comm, &s->ranks);
    for (int c = 0; c < 4; c++) {
        const int n = counts[c], root = (c + 1) % s->ranks;
        check_bcast(s, n, root);
        check_gatherv(s, n, root);
        check_scatterv(s, n, root);
        for (int in_place = 0; in_place < places; in_place++) {
            check_gather(s, n, root, in_place);
            check_scatter(s, n, root, in_place);
            check_allgather(s, n, in_place);
            check_allgatherv(s, n, in_place);
            check_alltoall(s, n, in_place && HAS_MPI3);
            check_alltoallv(s, n, in_place && HAS_MPI3);
            if (s->stride == 1) {
                check_reductions(s, n, root, MPI_SUM, in_place);
                check_reduce_scatter(s, n, MPI_SUM, in_place && HAS_MPI3);
            }
            if (HAS_MPI3 || s->stride == 1) {
                check_reductions(s, n, root, own, in_place);
                check_reduce_scatter(s, n, own, in_place && HAS_MPI3);
            }
        }
        MPI_Barrier(s->comm);
    }
    check_order(s, order, pair);
}

int main(int argc, char **argv)
{
    MPI_Comm comms[5];
    MPI_Datatype types[2], spread, pair;
    MPI_Op own, order;
    static const char *const names[] = {"the world", "a duplicate", "the reverse", "halves",
                                        "self"};
    int rank, ranks, all_wrong = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    comms[0] = MPI_COMM_WORLD;
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[1]);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &comms[2]);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &comms[3]);
    comms[4] = MPI_COMM_SELF;
    MPI_Type_vector(1, 1, GAP, MPI_INT, &spread); /* its extent is one int: resized below */
#if HAS_MPI3
    MPI_Type_free(&spread);
    MPI_Type_create_resized(MPI_INT, 0, GAP * sizeof(int), &spread);
#else
    MPI_Type_free(&spread);
    int lengths[2] = {1, 1};
    MPI_Aint places[2] = {0, GAP * sizeof(int)};
    MPI_Datatype parts[2] = {MPI_INT, MPI_UB};
    MPI_Type_struct(2, lengths, places, parts, &spread);
#endif
    MPI_Type_commit(&spread);
    MPI_Type_contiguous(2 * sizeof(long long), MPI_BYTE, &pair);
    MPI_Type_commit(&pair);
    MPI_Op_create(add, 1, &own);
    MPI_Op_create(compose, 0, &order);
    types[0] = MPI_INT, types[1] = spread;
    for (int round = 0; round < 2; round++)
        for (int c = 0; c < 5; c++)
            for (int t = 0; t < 2; t++) {
                Setting s = {comms[c], 0, 0, t ? GAP : 1, types[t], names[c]};
                check_all(&s, own, order, pair);
            }
    for (int c = 1; c < 4; c++)
        MPI_Comm_free(&comms[c]);
    MPI_Allreduce(&wrong, &all_wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf("checked %d wrong %d\n", checked, all_wrong);
    MPI_Op_free(&own), MPI_Op_free(&order);
    MPI_Type_free(&spread), MPI_Type_free(&pair);
    MPI_Finalize();
    return all_wrong != 0;
}
