/* Some threads of each rank that call MPI at the same time. Before it: THREADS, ROUNDS. */
#include "traps.h"
#include <pthread.h>

typedef struct {
    int number, wrong, checked;
    MPI_Comm own;
} Thread;

#define RIGHT(condition) (t->checked++, t->wrong += !(condition))

/* What a rank's thread sends in a round, element by element. */
static int value(int from, int thread, int round, int i)
{
    return ((from * THREADS + thread) * ROUNDS + round) * 7 + i;
}

/* Each with a communicator of its own; none where the library does not allow several. */
static void run_threads(int level, void *(*work)(void *))
{
    Thread all[THREADS];
    pthread_t threads[THREADS];
    const int started = level == MPI_THREAD_MULTIPLE ? THREADS : 0;
    for (int n = 0; n < THREADS; n++) {
        all[n] = (Thread){.number = n};
        MPI_Comm_dup(MPI_COMM_WORLD, &all[n].own);
    }
    for (int n = 0; n < started; n++)
        pthread_create(&threads[n], NULL, work, &all[n]);
    for (int n = 0; n < started; n++) {
        pthread_join(threads[n], NULL);
        wrong += all[n].wrong, checked += all[n].checked;
    }
    for (int n = 0; n < THREADS; n++)
        MPI_Comm_free(&all[n].own);
}
