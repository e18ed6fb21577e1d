/* Collectives whose blocks differ between ranks, each in the order in which they are named. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 16 };
static int rank, ranks, sent[MOST], sent_at[MOST], received[MOST], received_at[MOST], own[MOST],
    own_at[MOST];
static char *out, *in;

/* Rank a sends b 1000 (a + 1) + 10 b bytes; its own block is 1000 (a + 1). */
static void set_counts(void)
{
    int s = 0, r = 0, o = 0;
    for (int i = 0; i < ranks; i++) {
        sent[i] = 1000 * (rank + 1) + 10 * i, sent_at[i] = s, s += sent[i];
        received[i] = 1000 * (i + 1) + 10 * rank, received_at[i] = r, r += received[i];
        own[i] = 1000 * (i + 1), own_at[i] = o, o += own[i];
    }
}

static void one(const char *name)
{
    MPI_Datatype types[MOST];
    for (int i = 0; i < ranks; i++)
        types[i] = MPI_BYTE;
    if (!strcmp(name, "allgatherv"))
        MPI_Allgatherv(out, own[rank], MPI_BYTE, in, own, own_at, MPI_BYTE, MPI_COMM_WORLD);
    if (!strcmp(name, "in-place"))
        MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, own, own_at, MPI_BYTE,
                       MPI_COMM_WORLD);
    if (!strcmp(name, "gatherv"))
        MPI_Gatherv(out, own[rank], MPI_BYTE, in, own, own_at, MPI_BYTE, 1, MPI_COMM_WORLD);
    if (!strcmp(name, "scatterv"))
        MPI_Scatterv(out, own, own_at, MPI_BYTE, in, own[rank], MPI_BYTE, 1, MPI_COMM_WORLD);
    if (!strcmp(name, "alltoallv"))
        MPI_Alltoallv(out, sent, sent_at, MPI_BYTE, in, received, received_at, MPI_BYTE,
                      MPI_COMM_WORLD);
    if (!strcmp(name, "alltoallw"))
        MPI_Alltoallw(out, sent, sent_at, types, in, received, received_at, types, MPI_COMM_WORLD);
    if (!strcmp(name, "reduce_scatter"))
        MPI_Reduce_scatter(out, in, own, MPI_BYTE, MPI_BOR, MPI_COMM_WORLD);
#if MPI_VERSION >= 3
    MPI_Request requests[2];
    if (!strcmp(name, "nonblocking")) {
        MPI_Iallgatherv(out, own[rank], MPI_BYTE, in, own, own_at, MPI_BYTE, MPI_COMM_WORLD,
                        &requests[0]);
        MPI_Ialltoallv(out, sent, sent_at, MPI_BYTE, in + (1 << 19), received, received_at,
                       MPI_BYTE, MPI_COMM_WORLD, &requests[1]);
        MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    }
#endif
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    out = calloc(1, 1 << 20), in = calloc(1, 1 << 20);
    set_counts();
    for (int i = 1; i < argc; i++)
        one(argv[i]);
    MPI_Finalize();
    return 0;
}
