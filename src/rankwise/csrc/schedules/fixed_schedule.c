/* Makes the schedule of a rank of what a file says. */
#include "fixed_schedule.h"

/* Elements before a chunk. */
static int64_t elements(const FixedSchedule *fixed, int64_t count, int64_t chunk)
{
    const int part = (int)(chunk % fixed->chunks);
    return chunk / fixed->chunks * count + part_start(count, fixed->chunks, part);
}

static const char *objection(const FixedSchedule *fixed, const Problem *p)
{
    const bool turns = fixed->algorithm.operation == BCAST ||
                       (fixed->algorithm.operation == REDUCE && p->commutative);
    const bool rooted = turns || fixed->algorithm.operation == REDUCE ||
                        fixed->algorithm.operation == GATHER ||
                        fixed->algorithm.operation == SCATTER;
    if (p->operation != fixed->algorithm.operation)
        return "the schedule's file is for another operation";
    if (p->ranks != fixed->ranks)
        return "the schedule's file is for another number of ranks";
    if (rooted && !turns && p->root != fixed->root)
        return "the schedule's file is for another root";
    if (fixed->multiple && p->count % fixed->chunks)
        return "the schedule's file is for counts that are multiples of its chunks";
    return NULL;
}

void generate_fixed(Schedule *s, const Algorithm *algorithm, const Problem *p)
{
    const FixedSchedule *fixed = (const FixedSchedule *)algorithm;
    const char *reason = objection(fixed, p);
    if (reason) {
        refuse(s, reason);
        return;
    }
    const bool rooted = fixed->algorithm.operation == BCAST || fixed->algorithm.operation == REDUCE;
    const int n = p->ranks, turn = rooted ? (p->root - fixed->root + n) % n : 0;
    const int me = (p->rank - turn + n) % n;
    add_scratch(s, elements(fixed, p->count, fixed->scratch[me]));
    for (int i = fixed->first[me]; i < fixed->first[me + 1] && !s->failure; i++) {
        Step step = fixed->all.steps[i];
        const Place at = step.kind == RECEIVE_STEP ? step.to : step.from;
        const int64_t length = elements(fixed, p->count, at.offset + step.length) -
                               elements(fixed, p->count, at.offset);
        const int added = add_join(s, NO_STEP);
        if (added == NO_STEP)
            return;
        if (length || !step.length) { /* chunks without elements are no step */
            Step *made = &s->steps[added];
            made->kind = step.kind;
            made->peer = step.peer < 0 ? -1 : (step.peer + turn) % n;
            made->tag = step.tag;
            made->from = place(step.from.memory, elements(fixed, p->count, step.from.offset));
            made->to = place(step.to.memory, elements(fixed, p->count, step.to.offset));
            made->length = length;
        }
        for (int d = 0; d < step.dependencies; d++)
            depend(s, added, fixed->all.dependency[step.first_dependency + d] - fixed->first[me]);
    }
    s->tags = fixed->all.tags;
}
