/* The smoke test of an installation: every rank must be in one world, see the job's variables and
 * get its neighbour's data. MPI-1 only, so that LAM/MPI compiles it too. Rank 0 prints
 * `rankwise-smoke-test KEY VALUE` lines, `end` last. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LARGEST                                                                                    \
    (1 << 20) /* beyond every default eager threshold, so that the rendezvous transports show too  \
               */

static int token(int rank, int size, int position)
{
    return rank * 31 + size * 7 + position;
}

/* Passes messages of growing size round the ring; returns how many elements came wrong. */
static int wrong_elements(int rank, int size, int *sent, int *received)
{
    int left = (rank + size - 1) % size, right = (rank + 1) % size, count, position, wrong = 0;
    MPI_Status status;
    for (count = 1; count <= LARGEST / (int)sizeof(int); count *= 8) {
        for (position = 0; position < count; position++) {
            sent[position] = token(rank, count, position);
            received[position] = -1;
        }
        MPI_Sendrecv(sent, count, MPI_INT, right, 1, received, count, MPI_INT, left, 1,
                     MPI_COMM_WORLD, &status);
        for (position = 0; position < count; position++)
            wrong += received[position] != token(left, count, position);
    }
    return wrong;
}

/* The libraries that the running program has really loaded, and which of them its MPI is. */
static void print_library_files(void)
{
    char line[4096], last[4096] = "", *path, *name;
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps && fgets(line, sizeof line, maps)) {
        path = strchr(line, '/');
        name = path ? strrchr(path, '/') + 1 : NULL;
        if (!name || !strstr(name, ".so") || !strcmp(path, last))
            continue;
        strcpy(last, path);
        printf("rankwise-smoke-test loaded %s", path);
        if (!strncmp(name, "libmpi", 6) || !strncmp(name, "liblam.", 7))
            printf("rankwise-smoke-test file %s", path);
    }
    if (maps)
        fclose(maps);
}

int main(int argc, char **argv)
{
    int rank, size, major, minor, faults[2], sums[2];
    const char *variable = getenv("RANKWISE_SMOKE_TEST");
    int *buffers = malloc(2 * LARGEST);
    if (!buffers) {
        fprintf(stderr, "rankwise-proof: cannot allocate %d bytes\n", 2 * LARGEST);
        return 1;
    }
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Get_version(&major, &minor);
    faults[0] = wrong_elements(rank, size, buffers, buffers + LARGEST / sizeof(int));
    faults[1] = !variable || strcmp(variable, "one, two");
    MPI_Reduce(faults, sums, 2, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        printf("rankwise-smoke-test ranks %d\nrankwise-smoke-test standard %d.%d\n", size, major,
               minor);
        printf("rankwise-smoke-test wrong %d\nrankwise-smoke-test blind %d\n", sums[0], sums[1]);
#if MPI_VERSION >= 3
        {
            char text[MPI_MAX_LIBRARY_VERSION_STRING], *c;
            int length;
            MPI_Get_library_version(text, &length);
            for (c = text; *c; c++)
                if (*c == '\n' || *c == '\r')
                    *c = ' ';
            printf("rankwise-smoke-test library %s\n", text);
        }
#endif
        print_library_files();
        printf("rankwise-smoke-test end -\n");
        fflush(stdout);
    }
    MPI_Finalize();
    free(buffers);
    return 0;
}
