#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* `order OPERATION...` (allreduce, exscan, reduce, reduce_scatter or reduce_scatter_block):
 * reductions by an operator that does not commute, the composition of maps x -> px + q modulo a
 * prime; rank 0 says `right OPERATION` or `wrong OPERATION`, `end` at last. */
typedef struct {
    unsigned p, q;
} Map;
enum { PRIME = 9973, MOST_RANKS = 64, MOST = 4096 };

static Map after(Map first, Map second)
{
    return (Map){first.p * second.p % PRIME, (first.p * second.q + first.q) % PRIME};
}

static void compose(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *count; i++)
        ((Map *)inout)[i] = after(((Map *)in)[i], ((Map *)inout)[i]);
}

static Map term(int rank, int i)
{
    return (Map){2 + rank + i % 7, 3 + 5 * rank + i % 11};
}

/* Whether each of these elements, from the i-th on, composes the terms of ranks 0 to LAST. */
static int right(const Map *got, int from, int count, int last)
{
    for (int i = from; i < from + count; i++) {
        Map expected = term(0, i);
        for (int rank = 1; rank <= last; rank++)
            expected = after(expected, term(rank, i));
        if (memcmp(&got[i - from], &expected, sizeof expected) != 0)
            return 0;
    }
    return 1;
}

int main(int count, char **words)
{
    int rank, ranks, counts[MOST_RANKS];
    static Map a[MOST], b[MOST];
    MPI_Op op;
    MPI_Datatype type;
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Op_create(compose, 0, &op);
    MPI_Type_contiguous(2, MPI_UNSIGNED, &type);
    MPI_Type_commit(&type);
    for (int i = 0; i < MOST; i++)
        a[i] = term(rank, i);
    for (int w = 1; w < count; w++) {
        int good = 1, all;
        for (int part = 1; part * ranks <= MOST; part *= 100) {
            const int n = part * ranks;
            for (int i = 0; i < ranks; i++)
                counts[i] = part;
            if (!strcmp(words[w], "allreduce")) {
                MPI_Allreduce(a, b, n, type, op, MPI_COMM_WORLD);
                good &= right(b, 0, n, ranks - 1);
            } else if (!strcmp(words[w], "reduce")) {
                MPI_Reduce(a, b, n, type, op, 0, MPI_COMM_WORLD);
                good &= rank || right(b, 0, n, ranks - 1);
            } else if (!strcmp(words[w], "exscan")) {
                MPI_Exscan(a, b, n, type, op, MPI_COMM_WORLD);
                good &= !rank || right(b, 0, n, rank - 1);
            } else if (!strcmp(words[w], "reduce_scatter_block")) {
                MPI_Reduce_scatter_block(a, b, part, type, op, MPI_COMM_WORLD);
                good &= right(b, rank * part, part, ranks - 1);
            } else {
                MPI_Reduce_scatter(a, b, counts, type, op, MPI_COMM_WORLD);
                good &= right(b, rank * part, part, ranks - 1);
            }
        }
        MPI_Allreduce(&good, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
        if (rank == 0)
            printf("%s %s\n", all ? "right" : "wrong", words[w]);
    }
    if (rank == 0)
        puts("end");
    MPI_Finalize();
    return 0;
}
