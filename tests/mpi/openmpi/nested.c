#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* `nested SIZE...`: for each broadcast from rank 0, each rank says `sent SIZE RANK: N N...`, how
 * many messages it sent on communicators of 0, 1, 2... ranks. See traffic.c for the table of
 * functions. */
enum { ISEND = OMPI_MAJOR_VERSION < 5 ? 10 : 11, SEND = ISEND + 1, MOST_RANKS = 16 };
typedef int Isend(const void *, size_t, MPI_Datatype, int, int, int, MPI_Comm, MPI_Request *);
typedef int Send(const void *, size_t, MPI_Datatype, int, int, int, MPI_Comm);
static Isend *own_isend;
static Send *own_send;
static int sent[MOST_RANKS + 1];

static void count(MPI_Comm c)
{
    int ranks;
    MPI_Comm_size(c, &ranks);
    sent[ranks]++;
}

static int counted_isend(const void *b, size_t n, MPI_Datatype t, int to, int tag, int mode,
                         MPI_Comm c, MPI_Request *r)
{
    count(c);
    return own_isend(b, n, t, to, tag, mode, c, r);
}

static int counted_send(const void *b, size_t n, MPI_Datatype t, int to, int tag, int mode,
                        MPI_Comm c)
{
    count(c);
    return own_send(b, n, t, to, tag, mode, c);
}

int main(int words, char **word)
{
    int rank, ranks;
    MPI_Init(&words, &word);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    void **table = dlsym(RTLD_DEFAULT, "mca_pml");
    own_isend = (Isend *)table[ISEND];
    own_send = (Send *)table[SEND];
    table[ISEND] = (void *)counted_isend;
    table[SEND] = (void *)counted_send;
    for (char **size = word + 1; *size; size++) {
        int bytes = atoi(*size);
        char *data = calloc(bytes, 1), line[256];
        if (!data)
            MPI_Abort(MPI_COMM_WORLD, 1);
        MPI_Bcast(data, bytes, MPI_BYTE, 0,
                  MPI_COMM_WORLD); /* makes the communicators of its steps */
        MPI_Barrier(MPI_COMM_WORLD);
        memset(sent, 0, sizeof sent);
        MPI_Bcast(data, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
        int end = sprintf(line, "sent %d %d:", bytes, rank);
        for (int of = 0; of <= ranks; of++)
            end += sprintf(line + end, " %d", sent[of]);
        puts(line);
        free(data);
    }
    MPI_Finalize();
    return 0;
}
