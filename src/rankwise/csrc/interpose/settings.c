#define _GNU_SOURCE
#include "settings.h"
#include "../schedules/network_file.h"
#include "built_in_table.h"
#include "passing.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MESSAGE_ROOM = 512 };

/* Sums whose order the number of ranks alone decides, for what no other rule does: the library's
 * own may depend on who is near whom. */
static const char ONE_ORDER[] = "\nreduce binary_in_order\n"
                                "allreduce reduce_bcast\n"
                                "reduce_scatter reduce_scatterv\n"
                                "scan recursive_doubling\n"
                                "exscan recursive_doubling\n";

static Settings chosen;

const Settings *settings(void)
{
    return &chosen;
}

/* Rank 0 says it for all, unless it is not wrong there; MPICH's launcher drops what it has not read
 * when a rank aborts, so it gets a moment to. */
__attribute__((noreturn, format(printf, 1, 2))) static void end_job(const char *format, ...)
{
    int rank = 0;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank != 0)
        sleep(2);
    va_list arguments;
    va_start(arguments, format);
    fputs("rankwise overlay: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    usleep(200000);
    PMPI_Abort(MPI_COMM_WORLD, 2);
    _exit(2);
}

static char *content(const char *file)
{
    FILE *stream = fopen(file, "r");
    char *text = NULL;
    size_t used = 0, room = 0;
    if (!stream)
        end_job("%s cannot be read; RANKWISE_OVERLAY and RANKWISE_NETWORK name files on each host",
                file);
    do {
        room += 4096;
        char *more = realloc(text, room + 1);
        if (!more)
            end_job("no memory is left for %s", file);
        text = more;
        used += fread(text + used, 1, room - used, stream);
    } while (used == room);
    text[used] = '\0';
    fclose(stream);
    return text;
}

static void read_rules(void)
{
    char error[MESSAGE_ROOM] = "no memory is left";
    const char *file = getenv("RANKWISE_OVERLAY");
    if (!file || !*file)
        return;
    const bool built_in = strcmp(file, "default") == 0;
    char *own = built_in ? NULL : content(file), *text = NULL;
    if (asprintf(&text, "%s%s", own ? own : BUILT_IN_TABLE, chosen.reproducible ? ONE_ORDER : "") <
        0)
        end_job("%s", error);
    if (!read_table(&chosen.table, text, built_in ? "the built-in table" : file, error,
                    sizeof error))
        end_job("%s", error);
    free(text);
    free(own);
    bool named[OPERATIONS] = {false};
    for (int i = 0; i < chosen.table.count; i++)
        named[chosen.table.rules[i].operation] |= chosen.table.rules[i].algorithm != NULL;
    for (int o = 0; o < OPERATIONS; o++)
        may_replace[o] = named[o];
}

/* A library that was replaced since, or another one of the same name. */
static void check_version(void)
{
#if MPI_VERSION >= 3
    char found[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length;
    PMPI_Get_library_version(found, &length);
    found[strcspn(found, ",\n")] = '\0';
    if (!strstr(found, BUILT_FOR))
        end_job("this overlay was built for version " BUILT_FOR " of the MPI library, and the "
                "program has loaded %s: rankwise run --overlay builds the right one",
                found);
#endif
}

void read_settings(void)
{
    const char *reproducible = getenv("RANKWISE_OVERLAY_REPRODUCIBLE");
    const char *network = getenv("RANKWISE_NETWORK");
    chosen.report = getenv("RANKWISE_OVERLAY_REPORT");
    chosen.reproducible = reproducible && strcmp(reproducible, "1") == 0;
    const char *measure = getenv("RANKWISE_OVERLAY_MEASURE");
    chosen.has_network = network && *network;
    chosen.measures = !measure || strcmp(measure, "0") != 0;
    check_version();
    read_rules();
}

Network *described_network(const char *const *hosts, int ranks)
{
    char error[MESSAGE_ROOM] = "no memory is left";
    Network *network = read_network(getenv("RANKWISE_NETWORK"), hosts, ranks, error, sizeof error);
    if (!network)
        end_job("%s", error);
    return network;
}
