#include "report.h"
#include "passing.h"
#include <stdio.h>
#include <string.h>

enum { KNOWN_ALGORITHMS = 256 };

static const char *const reasons[REASONS] = {
    [NO_RULE] = "no rule",
    [NESTED] = "inside another call",
    [NOT_STARTED] = "before MPI_Init or after MPI_Finalize",
    [NO_COMMUNICATOR] = "no communicator of our own",
    [ODD_ARGUMENTS] = "arguments",
    [NO_SCHEDULE] = "no schedule",
    [NO_PROGRESS] = "no progress",
};
static long passed[REASONS];

typedef struct {
    const Algorithm *algorithm;
    long calls;
} Use;
static Use uses[KNOWN_ALGORITHMS];

void note_passed(Reason reason)
{
    __atomic_add_fetch(&passed[reason], 1, __ATOMIC_RELAXED);
}

void note_replaced(int function, const Algorithm *algorithm)
{
    __atomic_add_fetch(&tallies[function].replaced, 1, __ATOMIC_RELAXED);
    for (int i = 0; i < KNOWN_ALGORITHMS; i++) {
        const Algorithm *none = NULL;
        __atomic_compare_exchange_n(&uses[i].algorithm, &none, algorithm, false, __ATOMIC_RELAXED,
                                    __ATOMIC_RELAXED);
        if (uses[i].algorithm == algorithm) {
            __atomic_add_fetch(&uses[i].calls, 1, __ATOMIC_RELAXED);
            return;
        }
    }
}

static void write_functions(FILE *file)
{
    const char *comma = "";
    fputs("  \"functions\": {", file);
    for (int i = 0; i < tally_count; i++)
        if (tallies[i].replaced || tallies[i].passed) {
            fprintf(file, "%s\n    \"%s\": {\"replaced\": %ld, \"passed\": %ld}", comma,
                    tallies[i].name, tallies[i].replaced, tallies[i].passed);
            comma = ",";
        }
    fputs("\n  },\n", file);
}

static void write_algorithms(FILE *file)
{
    fputs("  \"algorithms\": {", file);
    for (int i = 0; i < KNOWN_ALGORITHMS && uses[i].algorithm; i++)
        fprintf(file, "%s\n    \"%s.%s\": %ld", i ? "," : "",
                operation_name(uses[i].algorithm->operation), uses[i].algorithm->name,
                uses[i].calls);
    fputs("\n  },\n", file);
}

static void write_reasons(FILE *file)
{
    fputs("  \"passed because\": {", file);
    for (int i = 0; i < REASONS; i++)
        fprintf(file, "%s\n    \"%s\": %ld", i ? "," : "", reasons[i], passed[i]);
    fputs("\n  }\n", file);
}

/* What a launcher brings to whoever asks, from any host. */
static void tell(void)
{
    for (int i = 0; i < KNOWN_ALGORITHMS && uses[i].algorithm; i++)
        fprintf(stderr, "rankwise overlay: %s.%s %ld\n",
                operation_name(uses[i].algorithm->operation), uses[i].algorithm->name,
                uses[i].calls);
}

void write_report(const char *name)
{
    char path[4096];
    int rank = 0;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (strcmp(name, "-") == 0) {
        if (rank == 0)
            tell();
        return;
    }
    if (snprintf(path, sizeof path, "%s.%d", name, rank) >= (int)sizeof path)
        return;
    FILE *file = fopen(path, "w");
    if (!file) {
        perror(path);
        return;
    }
    fprintf(file, "{\n  \"rank\": %d,\n", rank);
    write_functions(file);
    write_algorithms(file);
    write_reasons(file);
    fputs("}\n", file);
    fclose(file);
}
