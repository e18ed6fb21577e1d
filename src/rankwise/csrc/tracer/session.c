#define _GNU_SOURCE
#include "session.h"
#include "../runtime/clock.h"
#include "../runtime/proc.h"
#include "tracer.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct {
    State *state;
    int rank, ranks;
    bool together;
    MPI_Comm comm; /* for comparing clocks */
    char text[MOST_FUNCTIONS * 64];
    size_t used;
} g = {.comm = MPI_COMM_NULL};

__attribute__((format(printf, 1, 2))) static void say(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(g.text + g.used, sizeof g.text - g.used, format, arguments);
    va_end(arguments);
    g.used += (size_t)length;
    if (g.used > sizeof g.text - 1)
        g.used = sizeof g.text - 1;
}

static void say_text(const char *name, const char *value)
{
    say(", \"%s\": \"", name);
    for (; *value && *value != '\n'; value++)
        say("%c", *value < ' ' || *value > '~' || *value == '"' || *value == '\\' ? ' ' : *value);
    say("\"");
}

/* Rank 0's clock and this rank's at one moment, as nanoseconds of CLOCK_MONOTONIC. */
static void compare_clocks(void)
{
    RwClock clock;
    long long base_of_0;
    const RwClockOptions options = {RW_CLOCK_AUTO, 0, 0};
    if (g.comm == MPI_COMM_NULL || rw_clock_start(&clock, g.comm, &options) != MPI_SUCCESS)
        return;
    base_of_0 = clock.time.base_seconds;
    PMPI_Bcast(&base_of_0, 1, MPI_LONG_LONG_INT, 0, g.comm);
    const double local = rw_clock_local(&clock);
    if (g.state) {
        g.used = 0;
        say("{\"local_ns\": %lld, \"global_ns\": %lld, \"error_ns\": %.0f}",
            clock.time.base_seconds * 1000000000LL + (long long)(local * 1e9),
            base_of_0 * 1000000000LL + (long long)(rw_clock_global(&clock, local) * 1e9),
            rw_clock_error(&clock) * 1e9);
        write_block('K', g.text, g.used);
    }
    rw_clock_stop(&clock);
}

static void write_meta(Mode mode)
{
    static const char *const modes[] = {"all", "statistics", "summary"};
    char boot[64], library[MPI_MAX_PROCESSOR_NAME + 8192] = "", host[MPI_MAX_PROCESSOR_NAME + 1];
    int length;
    rw_read_line("/proc/sys/kernel/random/boot_id", boot, sizeof boot);
    PMPI_Get_processor_name(host, &length);
#if MPI_VERSION >= 3
    PMPI_Get_library_version(library, &length);
#endif
    g.used = 0;
    say("{\"format\": 2, \"rank\": %d, \"ranks\": %d, \"keep\": \"%s\", \"begin_ns\": %lld", g.rank,
        g.ranks, modes[mode], (long long)g.state->last_exit);
    say_text("host", host);
    say_text("boot", boot);
    say_text("library", library);
    say(", \"functions\": [");
    for (int i = 0; i < traced_function_count; i++)
        say("%s\"%s\"", i ? ", " : "", traced_functions[i]);
    say("]}");
    write_block('M', g.text, g.used);
}

static Mode mode_asked_for(void)
{
    const char *keep = getenv("RANKWISE_TRACE_KEEP");
    if (keep && strcmp(keep, "summary") == 0)
        return SUMMARY;
    return keep && strcmp(keep, "statistics") == 0 ? STATISTICS : ALL_TIMES;
}

State *begin_session(bool together, Mode *mode)
{
    const char *folder = getenv("RANKWISE_TRACE");
    if (!folder || !*folder)
        return NULL;
    PMPI_Comm_rank(MPI_COMM_WORLD, &g.rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &g.ranks);
    *mode = mode_asked_for();
    const int error = open_stream(folder, g.rank, *mode != ALL_TIMES, &g.state);
    if (error) {
        fprintf(stderr, "rankwise trace: rank %d cannot write to %s: %s; it is not recorded\n",
                g.rank, folder, strerror(error));
        g.state = NULL;
    }
    if (together && PMPI_Comm_split(MPI_COMM_WORLD, 0, g.rank, &g.comm) == MPI_SUCCESS)
        compare_clocks();
    if (g.state) {
        g.state->last_exit = now_nanoseconds();
        write_meta(*mode);
    }
    return g.state;
}

void compare_clocks_at_end(void)
{
    compare_clocks();
    if (g.comm != MPI_COMM_NULL)
        PMPI_Comm_free(&g.comm);
}

void end_session(int64_t moment)
{
    const char *comma = "";
    g.used = 0;
    say("{\"events\": %llu, \"end_ns\": %lld, \"idle\": {", (unsigned long long)g.state->events,
        (long long)moment);
    for (int i = 0; i < traced_function_count && i < MOST_FUNCTIONS; i++)
        if (g.state->idle[i].calls) {
            say("%s\"%d\": [%llu, %llu]", comma, i, (unsigned long long)g.state->idle[i].calls,
                (unsigned long long)g.state->idle[i].nanoseconds);
            comma = ", ";
        }
    say("}}");
    write_block('E', g.text, g.used);
    close_stream();
}
