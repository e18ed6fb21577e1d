/* What rank 0 says: one JSON object a line, each beginning with {"rankwise":, flushed line by line.
 */
#include "harness.h"
#include <stdio.h>
#include <string.h>

/* A JSON string of the first line of `text`. */
static void put_text(const char *text)
{
    putchar('"');
    for (const char *p = text; *p && *p != '\n'; p++) {
        const unsigned char byte = (unsigned char)*p;
        if (byte == '"' || byte == '\\')
            printf("\\%c", byte);
        else if (byte < 0x20)
            printf("\\u%04x", byte);
        else
            putchar(byte);
    }
    putchar('"');
}

static void put_field(const char *key, const char *text)
{
    printf(",\"%s\":", key);
    put_text(text);
}

static void put_flag(const char *key, bool value)
{
    printf(",\"%s\":%s", key, value ? "true" : "false");
}

static void end_line(void)
{
    puts("}");
    fflush(stdout);
}

static void put_library(void)
{
#if MPI_VERSION >= 3
    char library[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length, version, subversion;
    MPI_Get_library_version(library, &length);
    MPI_Get_version(&version, &subversion);
    put_field("library", library);
    printf(",\"standard\":\"%d.%d\"", version, subversion);
#else
#ifdef LAM_VERSION
    put_field("library", "LAM/MPI " LAM_VERSION);
#else
    put_field("library", "unnamed library of MPI " TEXT(MPI_VERSION) "." TEXT(MPI_SUBVERSION));
#endif
    printf(",\"standard\":\"%d.%d\"", MPI_VERSION, MPI_SUBVERSION);
#endif
}

void emit_list(void)
{
    printf("{\"rankwise\":\"list\"");
    put_library();
    printf(",\"benchmarks\":[");
    for (const Kernel *k = first_kernel(); k; k = k->next) {
        printf("%s{\"name\":\"%s\"", k == first_kernel() ? "" : ",", k->name);
        put_field("category", category_name(k->category));
        put_field("description", k->description);
        put_flag("supported", !k->unsupported);
        put_field("reason", k->unsupported ? k->unsupported : "");
        put_flag("sized", !k->unsized);
        printf(",\"min_ranks\":%d", k->min_ranks > 1 ? k->min_ranks : 1);
        put_flag("even_ranks", k->even_ranks);
        put_flag("one_clock", k->timing != BY_ALL_RANKS || k->once);
        put_flag("derived_types", !(k->plain_data || k->reduces || k->unsized));
        put_flag("in_place", HAS_IN_PLACE && k->in_place != NEVER_IN_PLACE);
        put_flag("groups", !k->whole && !k->streamed);
        put_flag("reduces", k->reduces);
        putchar('}');
    }
    printf("]");
    end_line();
}

void emit_begin(const Job *job)
{
    const RwClock *clock = &job->clock;
    printf("{\"rankwise\":\"begin\",\"protocol\":1");
    put_library();
    printf(",\"ranks\":%d,\"hosts\":[", job->ranks);
    for (int rank = 0; rank < job->ranks; rank++) {
        if (rank)
            putchar(',');
        put_text(host_of(job, rank));
    }
    printf("]");
    put_field("clock", clock->shared ? "shared" : "synchronised");
    printf(",\"clock_error_seconds\":%.9g", rw_clock_error(clock));
    printf(",\"timer_resolution_seconds\":%.9g", clock->timer.resolution_seconds);
    printf(",\"timer_cost_seconds\":%.9g", clock->timer.cost_seconds);
    end_line();
}

static void begin_cell_line(const char *kind, const CellRequest *cell)
{
    printf("{\"rankwise\":\"%s\",\"benchmark\":\"%s\",\"size_bytes\":%zu", kind, cell->kernel->name,
           cell->size_bytes);
    if (cell->candidate)
        printf(",\"candidate\":%d", cell->candidate);
}

/* Bytes that one sample moves over all pairs. */
static double moved_bytes(const Cell *c)
{
    const int pairs = c->kernel->pairing == HALVES ? c->ranks / 2 : 1;
    return (double)c->payload_bytes * c->kernel->moves * pairs * c->job->groups;
}

static void put_numbers(const char *key, const double *numbers, int count)
{
    printf(",\"%s\":[", key);
    for (int i = 0; i < count; i++)
        printf(i ? ",%.9g" : "%.9g", numbers[i]);
    putchar(']');
}

void emit_series(const Cell *c, const Series *series)
{
    begin_cell_line("series", c->job->current);
    put_field("quantity", series->quantity);
    printf(",\"payload_bytes\":%zu", c->payload_bytes);
    put_field("datatype", c->element.datatype);
    printf(",\"batch\":%d,\"messages_per_operation\":%d,\"bytes_per_sample\":%.17g", series->batch,
           series->messages > 1 ? series->messages : 1, moved_bytes(c));
    if (c->kernel->windowed)
        printf(",\"window\":%d", c->window);
    put_field("start", series->at_agreed_time ? "agreed" : "barrier");
    printf(",\"discarded\":%d", series->discarded);
    put_numbers("samples_seconds", series->samples_seconds, series->count);
    end_line();
}

void emit_timeline(const Cell *c, const Timeline *timeline)
{
    begin_cell_line("timeline", c->job->current);
    put_field("quantity", timeline->quantity);
    put_numbers("times_seconds", timeline->times_seconds, timeline->count);
    put_numbers("values", timeline->values, timeline->count);
    end_line();
}

void emit_failure(const CellRequest *cell, const char *kind, const char *reason)
{
    begin_cell_line("failure", cell);
    put_field("kind", kind);
    put_field("reason", reason);
    end_line();
}

void emit_verified(const CellRequest *cell, int repetitions)
{
    begin_cell_line("verified", cell);
    printf(",\"repetitions\":%d", repetitions);
    end_line();
}

void emit_end(const Job *job, double cells_seconds)
{
    printf("{\"rankwise\":\"end\",\"cells_seconds\":%.9g", cells_seconds);
    printf(",\"clock_error_seconds\":%.9g", rw_clock_error(&job->clock)); /* by now */
    end_line();
}
