#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* `traffic WHAT SIZE...`: each rank says `sent WHAT SIZE RANK: N N...`, how many messages it sent
 * to each rank in that collective operation, or for `value NAME`, `value NAME RANK: VALUE` of that
 * parameter.
 *
 * A release build does not tell which algorithm an operation took, but all its messages pass a
 * table of functions
 * (`mca_pml`): counted there, the pattern shows it. The places in the table differ between
 * versions. */
enum {
    ISEND = OMPI_MAJOR_VERSION < 5 ? 10 : 11,
    SEND = ISEND + 1,
    MOST_RANKS = 64,
    MOST_BYTES = 1 << 20
};
typedef int Isend(const void *, size_t, MPI_Datatype, int, int, int, MPI_Comm, MPI_Request *);
typedef int Send(const void *, size_t, MPI_Datatype, int, int, int, MPI_Comm);
static Isend *own_isend;
static Send *own_send;
static int sent[MOST_RANKS];

static int counted_isend(const void *b, size_t n, MPI_Datatype t, int to, int tag, int mode,
                         MPI_Comm c, MPI_Request *r)
{
    sent[to] += c == MPI_COMM_WORLD;
    return own_isend(b, n, t, to, tag, mode, c, r);
}

static int counted_send(const void *b, size_t n, MPI_Datatype t, int to, int tag, int mode,
                        MPI_Comm c)
{
    sent[to] += c == MPI_COMM_WORLD;
    return own_send(b, n, t, to, tag, mode, c);
}

static void count_messages(void)
{
    void **table = dlsym(RTLD_DEFAULT, "mca_pml");
    own_isend = (Isend *)table[ISEND];
    own_send = (Send *)table[SEND];
    table[ISEND] = (void *)counted_isend;
    table[SEND] = (void *)counted_send;
}

/* As MPI allows, what does not matter on a rank is left empty there. */
static void operate(const char *what, int n, int rank, int ranks, void *a, void *b)
{
    const MPI_Comm w = MPI_COMM_WORLD;
    int counts[MOST_RANKS];
    for (int i = 0; i < ranks; i++)
        counts[i] = n / ranks + (i < n % ranks);
    if (!strcmp(what, "allgather"))
        MPI_Allgather(a, n, MPI_BYTE, b, n, MPI_BYTE, w);
    else if (!strcmp(what, "allreduce"))
        MPI_Allreduce(a, b, n, MPI_BYTE, MPI_BOR, w);
    else if (!strcmp(what, "alltoall"))
        MPI_Alltoall(a, n, MPI_BYTE, b, n, MPI_BYTE, w);
    else if (!strcmp(what, "bcast"))
        MPI_Bcast(a, n, MPI_BYTE, 0, w);
    else if (!strcmp(what, "gather"))
        rank ? MPI_Gather(a, n, MPI_BYTE, NULL, 0, MPI_BYTE, 0, w)
             : MPI_Gather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, b, n, MPI_BYTE, 0, w);
    else if (!strcmp(what, "reduce"))
        MPI_Reduce(a, b, n, MPI_BYTE, MPI_BOR, 0, w);
    else if (!strcmp(what, "reduce_scatter_block"))
        MPI_Reduce_scatter_block(a, b, n, MPI_BYTE, MPI_BOR, w);
    else if (!strcmp(what, "exscan"))
        MPI_Exscan(a, b, n, MPI_BYTE, MPI_BOR, w);
    else if (!strcmp(what, "reduce_scatter"))
        MPI_Reduce_scatter(a, b, counts, MPI_BYTE, MPI_BOR, w);
    else if (!strcmp(what, "scatter"))
        MPI_Scatter(rank ? NULL : a, rank ? 0 : n, MPI_BYTE, b, n, MPI_BYTE, 0, w);
    else
        MPI_Abort(w, 2);
}

static void value(const char *name, int rank)
{
    union {
        char text[4096];
        int number;
        size_t size;
    } is = {{0}};
    char words[256];
    int index, count, length = sizeof words, verbosity, binding, scope;
    MPI_Datatype type;
    MPI_T_enum choices;
    MPI_T_cvar_handle handle;
    MPI_T_cvar_get_index(name, &index);
    MPI_T_cvar_get_info(index, NULL, NULL, &verbosity, &type, &choices, words, &length, &binding,
                        &scope);
    MPI_T_cvar_handle_alloc(index, NULL, &handle, &count);
    MPI_T_cvar_read(handle, &is);
    if (type == MPI_CHAR)
        printf("value %s %d: %s\n", name, rank, is.text);
    else
        printf("value %s %d: %zu\n", name, rank, type == MPI_INT ? (size_t)is.number : is.size);
}

int main(int count, char **words)
{
    int rank, ranks, provided;
    MPI_Init(&count, &words);
    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    count_messages();
    void *a = calloc(ranks, MOST_BYTES), *b = calloc(ranks, MOST_BYTES);
    if (!a || !b)
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (char **word = words + 1; word[0] && word[1]; word += 2) {
        char line[1024];
        if (!strcmp(word[0], "value")) {
            value(word[1], rank);
            continue;
        }
        MPI_Barrier(MPI_COMM_WORLD);
        memset(sent, 0, sizeof sent);
        operate(word[0], atoi(word[1]), rank, ranks, a, b);
        int end = sprintf(line, "sent %s %s %d:", word[0], word[1], rank);
        for (int to = 0; to < ranks; to++)
            end += sprintf(line + end, " %d", sent[to]);
        puts(line);
    }
    free(a);
    free(b);
    MPI_Finalize();
    return 0;
}
