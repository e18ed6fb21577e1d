/* Two threads of each rank call MPI at the same time; `without-tags`: they make no communicators
 * that the tag alone tells apart. `progress`: one rank computes while another one sends to it, and
 * it is said whether the sender had to wait. */
enum { THREADS = 2, ROUNDS = 15, COUNT = 300, LONG_BYTES = 5 << 20 };
#include "threads.h"
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

static int rank, ranks;

/* In the communicator that both share, told apart by tags. */
static void pass_on(Thread *t, int round)
{
    const int next = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks;
    int out[COUNT], in[COUNT], count, bad = 0;
    MPI_Request request;
    MPI_Status status;
    for (int i = 0; i < COUNT; i++)
        out[i] = value(rank, t->number, round, i), in[i] = -1;
    MPI_Isend(out, COUNT, MPI_INT, next, t->number, MPI_COMM_WORLD, &request);
    MPI_Recv(in, COUNT, MPI_INT, round % 2 ? MPI_ANY_SOURCE : before, t->number, MPI_COMM_WORLD,
             &status);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Get_count(&status, MPI_INT, &count);
    for (int i = 0; i < COUNT; i++)
        bad += in[i] != value(before, t->number, round, i);
    RIGHT(!bad && status.MPI_SOURCE == before && status.MPI_TAG == t->number && count == COUNT);
}

/* One thread waits for the other: in a communicator of this process alone, and by way of the next
 * rank, which answers. */
static void wait_for_other(Thread *t, int round)
{
    const int next = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks;
    int word = value(rank, 0, round, 0), got = -1;
    if (t->number == 0) {
        MPI_Recv(&got, 1, MPI_INT, 0, 50, MPI_COMM_SELF, MPI_STATUS_IGNORE);
        RIGHT(got == word);
        MPI_Recv(&got, 1, MPI_INT, next, 51, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        RIGHT(got == word);
        return;
    }
    usleep(1000);
    MPI_Send(&word, 1, MPI_INT, 0, 50, MPI_COMM_SELF);
    MPI_Send(&word, 1, MPI_INT, next, 52, MPI_COMM_WORLD);
    MPI_Recv(&got, 1, MPI_INT, before, 52, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Ssend(&got, 1, MPI_INT, before, 51, MPI_COMM_WORLD);
}

/* New communicators, in both threads at once. */
static void communicate(Thread *t, int round)
{
    MPI_Comm twin, half;
    int sum, size, got = -1, me = rank;
    MPI_Comm_dup(t->own, &twin);
    MPI_Comm_split(twin, rank % 2, t->number ? -rank : rank, &half);
    MPI_Allreduce(&round, &sum, 1, MPI_INT, MPI_SUM, twin);
    RIGHT(sum == round * ranks);
    MPI_Comm_size(half, &size);
    RIGHT(size == (ranks + 1 - rank % 2) / 2);
    MPI_Allreduce(&me, &got, 1, MPI_INT, MPI_MAX, half);
    RIGHT(got == rank % 2 + 2 * (size - 1));
    MPI_Bcast(&me, 1, MPI_INT, ranks - 1, twin);
    RIGHT(me == ranks - 1);
    MPI_Comm_free(&half), MPI_Comm_free(&twin);
}

static MPI_Comm halves[THREADS];
static MPI_Group everyone;

/* Of the same processes in both threads, told apart by the tag alone: the threads call in another
 * order on the next rank. */
static void make_by_tag(Thread *t)
{
    const int low = rank < ranks / 2, leader = low ? ranks / 2 : 0;
    MPI_Comm all, inter;
    int word = 100 + t->number, got = -1;
    usleep((t->number ^ rank) & 1 ? 30000 : 0);
    MPI_Comm_create_group(MPI_COMM_WORLD, everyone, 10 + t->number, &all);
    MPI_Bcast(rank == 0 ? &word : &got, 1, MPI_INT, 0, all);
    RIGHT(rank == 0 || got == word);
    usleep((t->number ^ low) & 1 ? 30000 : 0);
    MPI_Intercomm_create(halves[t->number], 0, MPI_COMM_WORLD, leader, 20 + t->number, &inter);
    MPI_Allreduce(&word, &got, 1, MPI_INT, MPI_MAX, inter);
    RIGHT(got == word);
    MPI_Comm_free(&inter), MPI_Comm_free(&all);
}

static bool by_tags = true;

static void *work(void *state)
{
    if (by_tags)
        make_by_tag(state);
    for (int round = 0; round < ROUNDS; round++) {
        pass_on(state, round);
        wait_for_other(state, round);
        communicate(state, round);
    }
    return NULL;
}

static void work_in_threads(int level)
{
    MPI_Comm_group(MPI_COMM_WORLD, &everyone);
    for (int t = 0; t < THREADS; t++)
        MPI_Comm_split(MPI_COMM_WORLD, rank < ranks / 2, rank, &halves[t]);
    run_threads(level, work);
    for (int t = 0; t < THREADS; t++)
        MPI_Comm_free(&halves[t]);
    MPI_Group_free(&everyone);
}

static void check_progress(void)
{
    char *data = calloc(1, LONG_BYTES);
    const double begun = MPI_Wtime();
    MPI_Request request;
    if (rank == ranks - 1) {
        MPI_Irecv(data, LONG_BYTES, MPI_BYTE, 0, 1, MPI_COMM_WORLD, &request);
        usleep(1500000);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        CHECK(data[LONG_BYTES - 1] == 7);
    } else if (rank == 0) {
        data[LONG_BYTES - 1] = 7;
        MPI_Ssend(data, LONG_BYTES, MPI_BYTE, ranks - 1, 1, MPI_COMM_WORLD);
        printf("%s\n", MPI_Wtime() - begun < 1.0 ? "at once" : "late");
    }
    free(data);
}

int main(int argc, char **argv)
{
    int level, again;
    const bool progress = argc > 1 && !strcmp(argv[1], "progress");
    by_tags = argc == 1;
    MPI_Init_thread(&argc, &argv, progress ? MPI_THREAD_SINGLE : MPI_THREAD_MULTIPLE, &level);
    MPI_Query_thread(&again);
    CHECK(again == level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (progress)
        check_progress();
    else
        work_in_threads(level);
    if (rank == 0)
        printf("several threads: %d\n", level == MPI_THREAD_MULTIPLE);
    report();
    MPI_Finalize();
    return wrong != 0;
}
