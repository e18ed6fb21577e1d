/* What waits in the sockets of the last rank while it makes no call of MPI: `joined_wire` says
 * whether a message that rank 0 has sent can be read there. Then both send at once what no buffer
 * holds, several of them, and check what has come. */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define WORDS "nobody between the sites may read this; "
enum { SHORT = 4000, MOST = 1 << 17, LONG = 6 << 20, TOGETHER = 3 };

static int rank, last;

static void fill(char *to, int bytes, int seed)
{
    for (int i = 0; i < bytes; i++)
        to[i] = (char)(seed * 31 + i + (i >> 12));
}

/* Until as much waits in one of the sockets as the message has: whether its words are there. */
static int can_be_read(void)
{
    static char there[MOST];
    struct sockaddr_storage peer;
    for (int tries = 0; tries < 1000; tries++, usleep(10000))
        for (int s = 3; s < 256; s++) {
            socklen_t bytes = sizeof peer;
            if (getpeername(s, (struct sockaddr *)&peer, &bytes) || peer.ss_family != AF_INET)
                continue;
            const ssize_t waiting = recv(s, there, sizeof there, MSG_PEEK | MSG_DONTWAIT);
            if (waiting >= SHORT)
                return memmem(there, (size_t)waiting, WORDS, strlen(WORDS)) != NULL;
        }
    MPI_Abort(MPI_COMM_WORLD, 2);
    return -1;
}

static void look(void)
{
    char text[SHORT];
    for (int i = 0; i < SHORT; i++)
        text[i] = WORDS[i % (int)strlen(WORDS)];
    if (rank == 0)
        MPI_Send(text, SHORT, MPI_BYTE, last, 1, MPI_COMM_WORLD);
    if (rank != last)
        return;
    const int read = can_be_read();
    char came[SHORT];
    MPI_Recv(came, SHORT, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("it %s, and is %s\n", read ? "can be read" : "cannot be read",
           memcmp(came, text, SHORT) ? "wrong" : "right");
}

/* Each with the rank at the other end of the world. */
static void exchange(void)
{
    MPI_Request requests[2 * TOGETHER];
    char *in[TOGETHER], *out[TOGETHER], *expected = malloc(LONG);
    const int other = last - rank;
    int wrong = 0;
    for (int i = 0; i < TOGETHER; i++) {
        in[i] = malloc(LONG);
        out[i] = malloc(LONG);
        fill(out[i], LONG, 10 * rank + i);
        MPI_Isend(out[i], LONG, MPI_BYTE, other, i, MPI_COMM_WORLD, &requests[i]);
    }
    for (int i = 0; i < TOGETHER; i++)
        MPI_Irecv(in[i], LONG, MPI_BYTE, other, i, MPI_COMM_WORLD, &requests[TOGETHER + i]);
    MPI_Waitall(2 * TOGETHER, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < TOGETHER; i++) {
        fill(expected, LONG, 10 * other + i);
        wrong += memcmp(in[i], expected, LONG) != 0;
        free(in[i]);
        free(out[i]);
    }
    free(expected);
    printf("rank %d: %d long ones wrong\n", rank, wrong);
}

int main(int argc, char **argv)
{
    int ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    last = ranks - 1;
    look();
    exchange();
    MPI_Finalize();
    return 0;
}
