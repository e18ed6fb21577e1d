/* Nonblocking reductions with an operator that does not commute, out of place and in place, with
 * every root; prints how many results are wrong, over all ranks. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { COUNT = 40, PRIME = 10007 };
typedef struct {
    int factor, term;
} Affine;

static Affine composed(Affine left, Affine right)
{
    return (Affine){left.factor * right.factor % PRIME,
                    (left.factor * right.term + left.term) % PRIME};
}

static void compose(void *left, void *right, int *count, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *count; i++)
        ((Affine *)right)[i] = composed(((Affine *)left)[i], ((Affine *)right)[i]);
}

static Affine item(int rank, int i)
{
    return (Affine){2 + rank * 7 + i, 3 + rank * 11 + i};
}

static int wrong(const Affine *found, int ranks)
{
    int bad = 0;
    for (int i = 0; i < COUNT; i++) {
        Affine wanted = item(0, i);
        for (int rank = 1; rank < ranks; rank++)
            wanted = composed(wanted, item(rank, i));
        bad += memcmp(&wanted, &found[i], sizeof wanted) != 0;
    }
    return bad;
}

int main(int argc, char **argv)
{
    int rank, ranks, bad = 0, all = 0;
    MPI_Datatype type;
    MPI_Op op;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Type_contiguous(2, MPI_INT, &type);
    MPI_Type_commit(&type);
    MPI_Op_create(compose, 0, &op);
    for (int step = 0; step < 2 * (ranks + 3); step++) {
        Affine mine[COUNT], found[COUNT];
        MPI_Request request;
        const int in_place = step % 2, what = step / 2, root = what - 3;
        for (int i = 0; i < COUNT; i++)
            mine[i] = found[i] = item(rank, i);
        void *send = in_place && (root < 0 || rank == root) ? MPI_IN_PLACE : mine;
        if (what == 0)
            MPI_Iallreduce(send, found, COUNT, type, op, MPI_COMM_WORLD, &request);
        else if (what == 1)
            MPI_Iscan(send, found, COUNT, type, op, MPI_COMM_WORLD, &request);
        else if (what == 2)
            MPI_Iexscan(send, found, COUNT, type, op, MPI_COMM_WORLD, &request);
        else
            MPI_Ireduce(send, found, COUNT, type, op, root, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        const int of = what == 0 ? ranks : what == 1 ? rank + 1 : what == 2 ? rank : ranks;
        if (of && (root < 0 || rank == root))
            bad += wrong(found, of);
    }
    MPI_Reduce(&bad, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (!rank)
        printf("wrong: %d\n", all);
    MPI_Op_free(&op);
    MPI_Type_free(&type);
    MPI_Finalize();
}
