#include "collectives.h"
#include "../execution/execution.h"
#include "../interpose/data.h"
#include "../interpose/replacing.h"
#include "calls.h"
#include "matching.h"
#include <stdlib.h>

enum { MOST_CHOICES = 3, CALLS_APART = 64 };

/* The first that can do it does: those that cross between sites as seldom as possible, then those
 * that serve whatever these refuse. What each refuses is known alike to all ranks. */
static const char *const choices[OPERATIONS][MOST_CHOICES] = {
    [BCAST] = {"one_crossing", "binomial"},
    [REDUCE] = {"one_crossing", "binary_in_order", "linear"},
    [ALLREDUCE] = {"one_crossing", "recursive_doubling"},
    [REDUCE_SCATTER] = {"one_crossing", "recursive_halving", "pairwise"},
    [GATHER] = {"one_crossing", "linear"},
    [SCATTER] = {"one_crossing", "linear"},
    [ALLGATHER] = {"one_crossing", "ring"},
    [ALLTOALL] = {"one_crossing", "pairwise", "linear"},
    [BARRIER] = {"one_crossing", "dissemination"},
    [SCAN] = {"one_crossing", "recursive_doubling", "linear"},
    [EXSCAN] = {"one_crossing", "recursive_doubling", "linear"},
};

static int tag_room(const Joined *j)
{
    return (j->tag_bound - CALLS_APART) / CALLS_APART;
}

/* A nonblocking one that is under way, as its request's `work`. */
typedef struct Pending Pending;
struct Pending {
    Request *request;
    Data data;
    Schedule schedule;
    Execution *execution;
    Pending *next;
};
static Pending *under_way;

/* False: the counts of all ranks are needed, and there is no time to ask for them. */
static bool knows_enough(const Algorithm *a, const Collective *call, Operation operation)
{
    const bool known = operation == ALLGATHER || operation == REDUCE_SCATTER;
    return !a->needs_all_counts || !call->varies || known || !call->request;
}

/* The schedule for this problem; an error code. */
static int choose(const Collective *call, const Communicator *c, Problem *p, Schedule *schedule)
{
    for (int i = 0; i < MOST_CHOICES && choices[call->operation][i]; i++) {
        const Algorithm *a = find_algorithm(call->operation, choices[call->operation][i]);
        if (!a || !knows_enough(a, call, call->operation))
            continue;
        if (call->varies && a->needs_all_counts) {
            const int code = share_counts(c, p);
            if (code != MPI_SUCCESS)
                return code;
        }
        make_schedule(schedule, a, p);
        if (!schedule->failure)
            return MPI_SUCCESS;
        free_schedule(schedule);
        *schedule = (Schedule){0};
    }
    return MPI_ERR_UNSUPPORTED_OPERATION;
}

int first_tag(Joined *own)
{
    return (int)(own->calls++ % CALLS_APART) * tag_room(own);
}

static int begin(Joined *j, const Call *sent, Data *data, Schedule *schedule, MPI_Request *request)
{
    Pending *p = calloc(1, sizeof *p);
    Request *r = new_request(COLLECTIVE, j);
    if (!p || !r)
        return MPI_ERR_NO_MEM;
    *p = (Pending){.request = r, .data = *data, .schedule = *schedule};
    r->work = p;
    const int code = begin_execution(&p->execution, &p->schedule, sent);
    if (code != MPI_SUCCESS) {
        outstanding--;
        free_request(r);
        free(p);
        return code;
    }
    p->next = under_way;
    under_way = p;
    *request = (MPI_Request)r;
    return MPI_SUCCESS;
}

/* From now on its peers are ranks of the communicator. */
static void name_peers(Schedule *schedule, const int *place)
{
    for (int i = 0; place && i < schedule->count; i++)
        if (schedule->steps[i].peer >= 0)
            schedule->steps[i].peer = place[schedule->steps[i].peer];
}

static int carry_out(const Party *party, const Collective *call, Communicator *c, Problem *p)
{
    Schedule schedule = {0};
    Data data;
    Joined *j = party->joined;
    int code = choose(call, c, p, &schedule);
    if (code != MPI_SUCCESS)
        return code;
    name_peers(&schedule, party->place);
    code = arrange_data(&data, call, party->rank, party->ranks);
    if (code == MPI_SUCCESS && call->request && (code = keep_arguments(&data, party->ranks)))
        return_data(&data, code);
    if (code == MPI_SUCCESS && schedule.tags > tag_room(j))
        code = return_data(&data, MPI_ERR_TAG);
    if (code != MPI_SUCCESS) {
        free_schedule(&schedule);
        return code;
    }
    const Call sent = {data.input, data.output, data.type, call->op, j->own, party->first_tag};
    if (call->request) {
        code = begin(j, &sent, &data, &schedule, call->request);
        if (code == MPI_SUCCESS)
            return code;
    } else {
        code = execute(&schedule, &sent, NULL);
    }
    free_schedule(&schedule);
    return return_data(&data, code);
}

int collective_among(const Party *party, const Collective *call)
{
    Communicator c = {.rank = party->rank,
                      .ranks = party->ranks,
                      .own = party->joined->own,
                      .network = party->network};
    Question question;
    Problem problem = {0};
    int code = MPI_ERR_ARG;
    if (call->operation != BARRIER && (call->root < 0 || call->root >= party->ranks))
        return MPI_ERR_ROOT;
    if (plausible(call, &c))
        code = describe(call, &c, &question, &problem) ? carry_out(party, call, &c, &problem)
                                                       : MPI_ERR_COUNT;
    release_problem(&problem);
    return code;
}

int collective(Joined *j, const Collective *call)
{
    const Party all = {j, j->rank, j->size, NULL, j->network, first_tag(joined_of(j->own))};
    return fail(j, collective_among(&all, call));
}

/* Operations that the program has freed while one that may need them was under way. */
typedef struct Freed Freed;
struct Freed {
    MPI_Op op;
    Freed *next;
};
static Freed *freed;

int call_Op_free(MPI_Op *op)
{
    Freed *one = under_way ? malloc(sizeof *one) : NULL;
    if (!one)
        return below.Op_free(op);
    *one = (Freed){*op, freed};
    freed = one;
    *op = MPI_OP_NULL;
    return MPI_SUCCESS;
}

static void free_operations(void)
{
    while (freed && !under_way) {
        Freed *one = freed;
        freed = one->next;
        below.Op_free(&one->op);
        free(one);
    }
}

bool progress_collectives(void)
{
    bool moved = false;
    for (Pending **place = &under_way; *place;) {
        Pending *p = *place;
        int done = 0;
        const int code = test_execution(p->execution, &done);
        if (code == MPI_SUCCESS && !done) {
            place = &p->next;
            continue;
        }
        *place = p->next;
        Request *r = p->request;
        r->work = NULL;
        free_execution(p->execution);
        free_schedule(&p->schedule);
        end_request(r, return_data(&p->data, code));
        free(p);
        moved = true;
    }
    free_operations();
    return moved;
}
