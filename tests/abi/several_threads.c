/* Several threads of each rank call MPI at the same time: messages of a communicator that they
 * share, told apart by tags alone; any-source receives, probes and collectives of their own
 * communicators; types, requests and attributes that each makes and frees. */
enum { THREADS = 4, ROUNDS = 200, COUNT = 300 };
#include "threads.h"

static int rank, ranks, key;

/* To the next rank's thread of the same number, in the communicator that all share. */
static void pass_on(Thread *t, int round)
{
    const int next = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks;
    int out[COUNT], in[COUNT], count;
    MPI_Request requests[2];
    MPI_Status statuses[2];
    MPI_Datatype pair;
    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_commit(&pair);
    for (int i = 0; i < COUNT; i++)
        out[i] = value(rank, t->number, round, i), in[i] = -1;
    MPI_Irecv(in, COUNT / 2, pair, before, t->number, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(out, COUNT, MPI_INT, next, t->number, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, statuses);
    MPI_Get_count(&statuses[0], pair, &count);
    RIGHT(statuses[0].MPI_SOURCE == before && statuses[0].MPI_TAG == t->number);
    RIGHT(count == COUNT / 2 && requests[0] == MPI_REQUEST_NULL);
    for (int i = 0; i < COUNT; i++)
        t->wrong += in[i] != value(before, t->number, round, i);
    MPI_Type_free(&pair);
}

/* In the thread's own communicator: whoever comes first, after a probe. */
static void gather_any(Thread *t, int round)
{
    int seen = 0, got;
    MPI_Status status;
    if (rank) {
        const int out = value(rank, t->number, round, 0);
        MPI_Ssend(&out, 1, MPI_INT, 0, rank, t->own);
        return;
    }
    for (int i = 1; i < ranks; i++) {
        MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, t->own, &status);
        MPI_Recv(&got, 1, MPI_INT, status.MPI_SOURCE, status.MPI_TAG, t->own, &status);
        RIGHT(got == value(status.MPI_SOURCE, t->number, round, 0));
        seen += status.MPI_SOURCE;
    }
    RIGHT(seen == ranks * (ranks - 1) / 2);
}

static void *work(void *state)
{
    Thread *t = state;
    int *found, flag, sum, is_main;
    MPI_Is_thread_main(&is_main);
    RIGHT(!is_main);
    for (int round = 0; round < ROUNDS; round++) {
        pass_on(t, round);
        gather_any(t, round);
        MPI_Comm_set_attr(t->own, key, &t->number);
        MPI_Allreduce(&round, &sum, 1, MPI_INT, MPI_SUM, t->own);
        RIGHT(sum == round * ranks);
        MPI_Comm_get_attr(t->own, key, &found, &flag);
        RIGHT(flag && found == &t->number);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    int level;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &key, NULL);
    run_threads(level, work);
    if (rank == 0)
        printf("several threads: %d\n", level == MPI_THREAD_MULTIPLE);
    report();
    MPI_Finalize();
    return wrong != 0;
}
