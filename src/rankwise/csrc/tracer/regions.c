#define _GNU_SOURCE
#include "recording.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PUBLIC __attribute__((visibility("default")))
enum { MOST_REGIONS = 1024 };

/* Regions: their names are kept, and numbers are names as well. */
static void region(const char *name, bool begins)
{
    static char *names[MOST_REGIONS];
    static int count;
    if (inside_tracer || (!recording && !may_begin()))
        return;
    inside_tracer = 1;
    lock();
    State *state = recorded_state();
    int id = 0;
    while (id < count && strcmp(names[id], name) != 0)
        id++;
    if (id == count && count < MOST_REGIONS && (names[id] = strndup(name, 255))) {
        const size_t bytes = strlen(names[id]);
        if (state->definition_bytes + bytes + 2 * NUMBER_BYTES > DEFINITION_ROOM / 2 &&
            !flush_definitions())
            stop();
        unsigned char *at = state->definitions + state->definition_bytes;
        *at++ = 'G';
        at = put_number(at, (uint64_t)id);
        at = put_number(at, bytes);
        memcpy(at, names[id], bytes);
        if (recording)
            state->definition_bytes = (uint32_t)(at + bytes - state->definitions);
        count++;
    }
    const int64_t now = now_nanoseconds(), row[] = {0, id, begins};
    if (id < count)
        write_row(row, 3, now, now);
    unlock();
    inside_tracer = 0;
}

PUBLIC void rankwise_trace_begin(const char *name);
PUBLIC void rankwise_trace_end(const char *name);

void rankwise_trace_begin(const char *name)
{
    region(name, true);
}

void rankwise_trace_end(const char *name)
{
    region(name, false);
}

/* The level of MPI_Pcontrol: 0 pauses, 1 goes on, others are regions. */
void note_control(int level)
{
    char name[16];
    if (level == 0) {
        pause_recording();
    } else if (level == 1) {
        go_on_recording();
    } else if (level > 1 || level < -1) {
        snprintf(name, sizeof name, "%d", abs(level));
        region(name, level > 0);
    }
}
