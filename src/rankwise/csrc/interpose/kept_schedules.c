#include "kept_schedules.h"

static void forget(KeptSchedule *kept)
{
    free_execution(kept->memory);
    free_schedule(&kept->schedule);
    *kept = (KeptSchedule){0};
}

void forget_schedules(KeptSchedules *schedules)
{
    for (int i = 0; i < KEPT_SCHEDULES; i++)
        forget(&schedules->kept[i]);
}

static bool same(const KeptSchedule *kept, const Rule *rule, const Problem *p)
{
    return kept->rule == rule && kept->count == p->count && kept->root == p->root &&
           kept->most_chunks == p->most_chunks && kept->commutative == p->commutative &&
           kept->element_bytes == p->element_bytes;
}

const Schedule *schedule_of(KeptSchedules *all, const Rule *rule, const Problem *p, Schedule *fresh,
                            KeptSchedule **kept)
{
    const bool keeps = all && !p->counts;
    for (int i = 0; keeps && i < KEPT_SCHEDULES; i++)
        if (same(&all->kept[i], rule, p)) {
            *kept = &all->kept[i];
            return &all->kept[i].schedule;
        }
    make_schedule(fresh, rule->algorithm, p);
    if (fresh->failure) {
        free_schedule(fresh);
        *fresh = (Schedule){0};
        return NULL;
    }
    KeptSchedule *place = keeps ? &all->kept[all->next] : NULL;
    if (!place || __atomic_load_n(&place->users, __ATOMIC_RELAXED))
        return fresh;
    all->next = (all->next + 1) % KEPT_SCHEDULES;
    forget(place);
    *place = (KeptSchedule){.rule = rule,
                            .count = p->count,
                            .root = p->root,
                            .most_chunks = p->most_chunks,
                            .commutative = p->commutative,
                            .element_bytes = p->element_bytes,
                            .schedule = *fresh};
    *fresh = (Schedule){0};
    *kept = place;
    return &place->schedule;
}
