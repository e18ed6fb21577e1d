/* Several threads of each rank, each with a communicator of its own: collectives at the same time.
 */
#include "checks.h"
#include <pthread.h>

enum { THREADS = 4, ROUNDS = 50, COUNT = 500 };

typedef struct {
    Setting s;
    int wrong;
} Work;

static void *work(void *state)
{
    Work *w = state;
    const Setting *s = &w->s;
    for (int round = 0; round < ROUNDS; round++) {
        int *in = contribution(s, s->rank, COUNT), *out = memory(s, COUNT);
        MPI_Request request;
        MPI_Allreduce(in, out, COUNT, MPI_INT, MPI_SUM, s->comm);
        MPI_Ibcast(in, COUNT, MPI_INT, round % s->ranks, s->comm, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        for (int i = 0; i < COUNT; i++) {
            int sum = 0;
            for (int r = 0; r < s->ranks; r++)
                sum += value(r, i);
            w->wrong += out[i] != sum || in[i] != value(round % s->ranks, i);
        }
        free(in), free(out);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    Work works[THREADS];
    pthread_t threads[THREADS];
    int level, rank, ranks, all_wrong = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int t = 0; t < THREADS; t++) {
        works[t] = (Work){{MPI_COMM_NULL, rank, ranks, 1, MPI_INT, "a thread's"}, 0};
        MPI_Comm_dup(MPI_COMM_WORLD, &works[t].s.comm);
    }
    for (int t = 0; level == MPI_THREAD_MULTIPLE && t < THREADS; t++)
        pthread_create(&threads[t], NULL, work, &works[t]);
    for (int t = 0; level == MPI_THREAD_MULTIPLE && t < THREADS; t++) {
        pthread_join(threads[t], NULL);
        wrong += works[t].wrong;
    }
    MPI_Allreduce(&wrong, &all_wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf("several threads: %d wrong %d\n", level == MPI_THREAD_MULTIPLE, all_wrong);
    MPI_Finalize();
    return all_wrong != 0;
}
