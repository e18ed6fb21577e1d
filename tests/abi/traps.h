/* What the programs in this folder share. They are compiled for the standard ABI, and for each MPI
   as far as its header goes. */
#ifndef TRAPS_H
#define TRAPS_H

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if MPI_VERSION >= 4
#define LARGE_COUNTS 1
#endif
#if MPI_VERSION >= 3
#define NONBLOCKING_COLLECTIVES 1
#endif
#if MPI_VERSION == 1
#define MPI_ERR_UNSUPPORTED_OPERATION MPI_ERR_OTHER
#endif
#if MPI_VERSION > 4 || (MPI_VERSION == 4 && MPI_SUBVERSION >= 1)
#define SESSION_BUFFERS 1
#endif

static int wrong, checked, lacking;

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        checked++;                                                                                 \
        if (!(condition) && wrong++ < 20)                                                          \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                \
    } while (0)

static inline int class_of(int code)
{
    int class = -1;
    MPI_Error_class(code, &class);
    return class;
}

/* Whether a function is there and has worked: one that is not, says its own name. */
static inline int works(int code, const char *call)
{
    char words[MPI_MAX_ERROR_STRING] = "", name[128];
    int length;
    checked++;
    if (code == MPI_SUCCESS)
        return 1;
    MPI_Error_string(code, words, &length);
    snprintf(name, sizeof name, "%.*s:", (int)strcspn(call, "("), call);
    const int named = !strncmp(words, name, strlen(name)) || !strncmp(words, "MPI_IN_PLACE:", 13);
    if (class_of(code) == MPI_ERR_UNSUPPORTED_OPERATION && named)
        lacking++;
    else if (wrong++ < 20)
        fprintf(stderr, "%s: %d (%s)\n", call, code, words);
    return 0;
}
#define WORKS(call) works(call, #call)

static inline void report(void)
{
    int rank, totals[3], own[3] = {wrong, checked, lacking};
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Reduce(own, totals, 3, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("checked %d lacking %d wrong %d\n", totals[1], totals[2], totals[0]);
}

#endif
