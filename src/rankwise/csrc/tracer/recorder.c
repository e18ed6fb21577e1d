#include "recorder.h"
#include "structure.h"

static struct {
    State *s;
    Mode mode;
} g;

bool prepare_recorder(State *state, Mode mode)
{
    g.s = state;
    g.mode = mode;
    return prepare_signatures(state) && prepare_structure(state);
}

/* Whatever comes next may have other numbers. */
static bool begin_chapter(void)
{
    if (g.mode != SUMMARY && !end_structure())
        return false;
    if (g.mode != ALL_TIMES && !flush_statistics())
        return false;
    if (!flush_definitions() || !write_block('C', "", 0))
        return false;
    forget_signatures();
    return true;
}

static bool make_room(int length)
{
    State *s = g.s;
    if ((signatures_are_full() || structure_is_full()) && !begin_chapter())
        return false;
    if (s->definition_bytes + (size_t)NUMBER_BYTES * (size_t)(length + 2) > DEFINITION_ROOM / 2 &&
        !flush_definitions())
        return false;
    return s->time_bytes + 2 * NUMBER_BYTES <= TIME_ROOM || flush_times();
}

static void count(uint32_t signature, int64_t gap, int64_t duration)
{
    Statistics *one = &g.s->statistics[signature];
    const uint32_t short_duration = duration > UINT32_MAX ? UINT32_MAX : (uint32_t)duration;
    if (!one->calls || short_duration < one->least)
        one->least = short_duration;
    if (short_duration > one->most)
        one->most = short_duration;
    one->duration += (uint64_t)duration;
    one->gap += gap > 0 ? (uint64_t)gap : 0;
    one->calls++;
}

bool record(const int64_t *row, int length, int64_t entry, int64_t exit)
{
    State *s = g.s;
    if (!make_room(length))
        return false;
    const uint32_t guess = g.mode == SUMMARY ? UINT32_MAX : expected_signature();
    const uint32_t signature = signature_of(row, length, guess);
    const int64_t gap = entry - s->last_exit, duration = exit - entry;
    if (g.mode != SUMMARY && !append_call(signature))
        return false;
    if (g.mode == ALL_TIMES) {
        unsigned char *at = put_number(s->times + s->time_bytes, zigzag(gap));
        s->time_bytes = (uint32_t)(put_number(at, (uint64_t)duration) - s->times);
    } else {
        count(signature, gap, duration);
    }
    s->last_exit = exit;
    s->events++;
    return true;
}

bool end_recorder(void)
{
    return (g.mode == SUMMARY || end_structure()) && (g.mode == ALL_TIMES || flush_statistics()) &&
           flush_definitions() && flush_times();
}
