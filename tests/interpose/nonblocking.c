/* Nonblocking collectives under way at once, on several communicators, ended in any way there is;
 * and one that has to go on while the program waits for an ordinary message. */
#include "checks.h"

enum { LENGTH = 20000, OPERATIONS = 6 }; /* long enough for messages that need both sides */

typedef struct {
    Setting s;
    int *in[OPERATIONS], *out[OPERATIONS];
    MPI_Request requests[OPERATIONS];
} Mix;

static void begin(Mix *m, int n)
{
    Setting *s = &m->s;
    MPI_Comm_rank(s->comm, &s->rank);
    MPI_Comm_size(s->comm, &s->ranks);
    for (int o = 0; o < OPERATIONS; o++) {
        m->in[o] = contribution(s, s->rank, n * s->ranks);
        m->out[o] = memory(s, n * s->ranks);
    }
    if (s->rank == 0)
        memcpy(m->out[0], m->in[0], sizeof(int) * (size_t)n);
    MPI_Ibcast(m->out[0], n, s->type, 0, s->comm, &m->requests[0]);
    MPI_Iallreduce(m->in[1], m->out[1], n, s->type, MPI_SUM, s->comm, &m->requests[1]);
    MPI_Iallgather(m->in[2], n, s->type, m->out[2], n, s->type, s->comm, &m->requests[2]);
    MPI_Ialltoall(m->in[3], n, s->type, m->out[3], n, s->type, s->comm, &m->requests[3]);
    MPI_Igather(m->in[4], n, s->type, m->out[4], n, s->type, s->ranks - 1, s->comm,
                &m->requests[4]);
    MPI_Ibarrier(s->comm, &m->requests[5]);
}

static void check(Mix *m, int n)
{
    const Setting *s = &m->s;
    for (int i = 0; i < n; i++) {
        int sum = 0;
        for (int r = 0; r < s->ranks; r++) {
            sum += value(r, i);
            expect(s, "iallgather", m->out[2], r * n + i, value(r, i));
            expect(s, "ialltoall", m->out[3], r * n + i, value(r, s->rank * n + i));
            if (s->rank == s->ranks - 1)
                expect(s, "igather", m->out[4], r * n + i, value(r, i));
        }
        expect(s, "ibcast", m->out[0], i, value(0, i));
        expect(s, "iallreduce", m->out[1], i, sum);
    }
    for (int o = 0; o < OPERATIONS; o++)
        free(m->in[o]), free(m->out[o]);
}

/* Rank 0 waits for a message that rank 1 sends after the broadcast, which rank 0 has to go on
 * with meanwhile. */
static void check_progress(int rank, int ranks)
{
    const int n = 300000;
    Setting s = {MPI_COMM_WORLD, rank, ranks, 1, MPI_INT, "the world"};
    int *m = rank == 0 ? contribution(&s, 0, n) : memory(&s, n), token = 0;
    MPI_Request request;
    MPI_Ibcast(m, n, MPI_INT, 0, MPI_COMM_WORLD, &request);
    if (rank == 0) {
        for (int r = 1; r < ranks; r++)
            MPI_Recv(&token, 1, MPI_INT, r, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Send(&rank, 1, MPI_INT, 0, 9, MPI_COMM_WORLD);
    }
    for (int i = 0; i < n; i += 997)
        expect(&s, "ibcast beside a message", m, i, value(0, i));
    free(m);
}

int main(int argc, char **argv)
{
    Mix mixes[3] = {{.s = {MPI_COMM_WORLD, 0, 0, 1, MPI_INT, "the world"}},
                    {.s = {MPI_COMM_NULL, 0, 0, 1, MPI_INT, "a duplicate"}},
                    {.s = {MPI_COMM_NULL, 0, 0, 1, MPI_INT, "the reverse"}}};
    int rank, ranks, all_wrong = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_dup(MPI_COMM_WORLD, &mixes[1].s.comm);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &mixes[2].s.comm);
    for (int round = 0; round < 6; round++) {
        const int n = round % 2 ? LENGTH : 10;
        for (int m = 0; m < 3; m++)
            begin(&mixes[m], n);
        MPI_Request *first = mixes[0].requests, *second = mixes[1].requests;
        for (int o = OPERATIONS - 1; o >= 0; o--)
            MPI_Wait(&first[o], MPI_STATUS_IGNORE);
        for (int left = OPERATIONS, index; left > 0; left--)
            MPI_Waitany(OPERATIONS, second, &index, MPI_STATUS_IGNORE);
        for (int done = 0; !done;)
            MPI_Testall(OPERATIONS, mixes[2].requests, &done, MPI_STATUSES_IGNORE);
        for (int m = 0; m < 3; m++)
            check(&mixes[m], n);
    }
    check_progress(rank, ranks);
    MPI_Comm_free(&mixes[1].s.comm), MPI_Comm_free(&mixes[2].s.comm);
    MPI_Allreduce(&wrong, &all_wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf("checked %d wrong %d\n", checked, all_wrong);
    MPI_Finalize();
    return all_wrong != 0;
}
