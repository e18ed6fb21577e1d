/* A collective operation from its arguments to its end, by a schedule: in the overlay and in the
 * gateway, blocking or not. In a header, since calls of a few bytes took 6 % longer otherwise. */
#ifndef RANKWISE_CARRYING_OUT_H
#define RANKWISE_CARRYING_OUT_H

#include "data.h"
#include "kept_schedules.h"

/* Which rank carries it out, and by which messages. */
typedef struct {
    int rank, ranks;
    MPI_Comm comm;
    int first_tag, tag_count;
    Convert *there, *back; /* to another representation; NULL: data stay as they are */
} Means;

typedef struct {
    KeptSchedule *kept; /* NULL: the schedule is `fresh` */
    bool holds;         /* `kept`, which no other schedule takes the place of */
    Schedule fresh;
    Data data;
    Call call;
    Execution *execution; /* NULL: no message has begun */
} Carried;

static inline const Schedule *schedule_in_use(const Carried *c)
{
    return c->kept ? &c->kept->schedule : &c->fresh;
}

/* The schedule for it, kept if there is a place for that. False: the rule's algorithm makes none,
 * which all ranks find alike. */
static inline bool choose_schedule(Carried *c, KeptSchedules *schedules, const Rule *rule,
                                   const Problem *problem)
{
    c->kept = NULL;
    c->holds = false;
    c->fresh = (Schedule){0};
    c->execution = NULL;
    return schedule_of(schedules, rule, problem, &c->fresh, &c->kept) != NULL;
}

/* Its data. An MPI error code, as all that follow; after an error nothing is left. */
static inline int prepare(Carried *c, const Collective *call, const Means *m)
{
    int code = arrange_data(&c->data, call, m->rank, m->ranks);
    if (code == MPI_SUCCESS) {
        if (m->there)
            code = represent_data(&c->data, call, m->rank, m->ranks, m->there, m->back);
        if (code == MPI_SUCCESS && call->request)
            code = keep_arguments(&c->data, call, m->ranks);
        if (code == MPI_SUCCESS && schedule_in_use(c)->tags > m->tag_count)
            code = MPI_ERR_TAG;
        if (code != MPI_SUCCESS)
            return_data(&c->data, code);
    }
    if (code != MPI_SUCCESS) {
        free_schedule(&c->fresh);
        return code;
    }
    c->call = (Call){c->data.input, c->data.output, c->data.type, call->op, m->comm, m->first_tag};
    return MPI_SUCCESS;
}

/* The data go back, and the schedule may be used for other calls. */
static inline int leave(Carried *c, int code)
{
    if (c->holds)
        c->kept->users--;
    if (c->execution)
        free_execution(c->execution);
    if (!c->kept)
        free_schedule(&c->fresh);
    return return_data(&c->data, code);
}

/* All of it at once. */
static inline int carry_out(Carried *c)
{
    return leave(c, execute(schedule_in_use(c), &c->call, c->kept ? &c->kept->memory : NULL));
}

/* It keeps its schedule until it leaves. */
static inline void hold_schedule(Carried *c)
{
    c->holds = c->kept != NULL;
    if (c->holds)
        c->kept->users++;
}

/* Or bit by bit, which others may be in between, by one thread at a time. */
static inline int begin_messages(Carried *c)
{
    return begin_execution(&c->execution, schedule_in_use(c), &c->call);
}

/* Whether it has ended, and how. */
static inline bool go_on(Carried *c, int *code)
{
    int done = 0;
    *code = c->execution ? MPI_SUCCESS : begin_messages(c);
    if (*code == MPI_SUCCESS)
        *code = test_execution(c->execution, &done);
    return done || *code != MPI_SUCCESS;
}

#endif
