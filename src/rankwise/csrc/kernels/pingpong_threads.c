/* Each of several threads plays ping-pong with its like on the other rank; with one, it is a plain
 * one. */
#define _GNU_SOURCE
#include "kernel.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 16 }; /* in one `run`, so that waking the threads weighs little */

typedef struct Crew Crew;
typedef struct {
    Crew *crew;
    int number;
    pthread_t id;
} Worker;
struct Crew {
    Cell *cell;
    Worker workers[MOST_THREADS];
    int started; /* threads, beside the main one */
    pthread_barrier_t gate;
    bool leave;
};

static void fill(Cell *c)
{
    for (int i = 0; c->active && i < c->threads; i++)
        fill_block(c, i, message_to(c, c->partner, i));
}

static void check(Cell *c)
{
    for (int i = 0; c->active && i < c->threads; i++)
        expect_block(c, i, c->partner, message_to(c, c->rank, i));
}

static const Data data = {BLOCK_PER_THREAD, BLOCK_PER_THREAD, fill, check};

static void play(Cell *c, int thread)
{
    char *out = block_at(c, c->send, thread), *in = block_at(c, c->receive, thread);
    const int tag = TAG + thread;
    for (int i = 0; i < ROUNDS; i++) {
        if (c->leads)
            MPI_Send(out, c->count, c->type, c->partner, tag, c->comm);
        MPI_Recv(in, c->count, c->type, c->partner, tag, c->comm, MPI_STATUS_IGNORE);
        if (!c->leads)
            MPI_Send(out, c->count, c->type, c->partner, tag, c->comm);
    }
}

static void *work(void *argument)
{
    const Worker *worker = argument;
    Crew *crew = worker->crew;
    for (;;) {
        pthread_barrier_wait(&crew->gate);
        if (crew->leave)
            return NULL;
        play(crew->cell, worker->number);
        pthread_barrier_wait(&crew->gate);
    }
}

static void setup(Cell *c)
{
    Crew *crew = calloc(1, sizeof *crew);
    c->state = crew;
    if (!crew) {
        fail_cell(c, "rank %d cannot allocate %zu bytes", c->rank, sizeof *crew);
        return;
    }
    crew->cell = c;
    pthread_barrier_init(&crew->gate, NULL, (unsigned)c->threads);
    for (int i = 1; c->active && i < c->threads; i++) {
        crew->workers[i] = (Worker){.crew = crew, .number = i};
        const int error = pthread_create(&crew->workers[i].id, NULL, work, &crew->workers[i]);
        if (error) {
            fail_cell(c, "rank %d cannot start a thread: %s", c->rank, strerror(error));
            return;
        }
        crew->started++;
    }
}

/* Threads that wait for others which were never started end with the process. */
static void teardown(Cell *c)
{
    Crew *crew = c->state;
    if (!crew || (c->active && crew->started < c->threads - 1))
        return;
    if (crew->started) {
        crew->leave = true;
        pthread_barrier_wait(&crew->gate);
    }
    for (int i = 1; i <= crew->started; i++)
        pthread_join(crew->workers[i].id, NULL);
    pthread_barrier_destroy(&crew->gate);
    free(crew);
}

static void run(Cell *c)
{
    Crew *crew = c->state;
    if (crew->started)
        pthread_barrier_wait(&crew->gate);
    play(c, 0);
    if (crew->started)
        pthread_barrier_wait(&crew->gate);
}

KERNEL(pingpong_threads) = {
    .category = POINT_TO_POINT,
    .description = "ping-pong of several threads of two ranks at once (--threads)",
    .data = &data,
    .run = run,
    .setup = setup,
    .teardown = teardown,
    .pairing = ENDS,
    .timing = BY_FIRST_RANK,
    .batched = true,
    .messages_per_run = 2 * ROUNDS,
    .moves = 1,
    .min_ranks = 2,
};
